"""A recording in Perfetto's format, as Perfetto's own classes read it."""
import collections
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

import image as recorded
from image import BEGAN, WALL, Image

TOOL = os.environ["SIGNALBOX_TRACE_TOOL"]
EVENT = perfetto.TrackEvent


class Decoded:
    """A trace with resolved names: tracks by number, events by track in the order of time."""

    def __init__(self, data):
        trace = perfetto.Trace()
        assert trace.ParseFromString(data) == len(data)
        self.tracks, self.events, self.clocks = {}, collections.defaultdict(list), None
        names = collections.defaultdict(dict)
        for packet in trace.packet:
            # A field whose number the format does not have would be unknown.
            assert not packet.trusted_packet_sequence_id != 1
            assert packet.SerializeToString() and not has_unknown(packet)
            if packet.HasField("clock_snapshot"):
                self.clocks, self.defaults = packet.clock_snapshot, packet.trace_packet_defaults
                assert packet.sequence_flags == packet.SEQ_INCREMENTAL_STATE_CLEARED
            if packet.HasField("track_descriptor"):
                assert packet.track_descriptor.uuid not in self.tracks
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            for entry in packet.interned_data.event_categories:
                assert names["category"].setdefault(entry.iid, entry.name) == entry.name
            for entry in packet.interned_data.event_names:
                assert names["name"].setdefault(entry.iid, entry.name) == entry.name
            for entry in packet.interned_data.debug_annotation_names:
                assert names["note"].setdefault(entry.iid, entry.name) == entry.name
            if packet.HasField("track_event"):
                event = packet.track_event
                assert packet.sequence_flags == packet.SEQ_NEEDS_INCREMENTAL_STATE
                assert event.track_uuid in self.tracks
                found = {
                    "at": packet.timestamp - BEGAN, "type": event.type, "value": event.counter_value,
                    "name": names["name"][event.name_iid] if event.name_iid else "",
                    "category": [names["category"][iid] for iid in event.category_iids],
                    "flows": list(event.flow_ids), "ends": list(event.terminating_flow_ids),
                    "notes": {names["note"][n.name_iid]: n.string_value or n.int_value
                              for n in event.debug_annotations}}
                self.events[event.track_uuid].append(found)
        for events in self.events.values():
            events.sort(key=lambda event: event["at"])  # as it is read: by time, else by order

    def slices(self, track):
        """(begin, end, name, depth) of a track, outer spans before inner ones; end is None if the
        span has not ended."""
        open_slices, found = [], []
        for event in self.events[track]:
            if event["type"] == EVENT.TYPE_SLICE_BEGIN:
                found.append([event["at"], None, event["name"], len(open_slices)])
                open_slices.append(found[-1])
            elif event["type"] == EVENT.TYPE_SLICE_END:
                open_slices.pop()[1] = event["at"]
        return [tuple(one) for one in found]

    def track(self, **wanted):
        """The only track whose thread name or own name this is."""
        found = [uuid for uuid, track in self.tracks.items()
                 if wanted.get("thread") == (track.thread.thread_name or None)
                 and wanted.get("name") == (track.name or None)]
        assert len(found) == 1, (wanted, found)
        return found[0]


def has_unknown(message):
    from google.protobuf.unknown_fields import UnknownFieldSet
    if len(UnknownFieldSet(message)):
        return True
    return any(
        has_unknown(part)
        for field, value in message.ListFields() if field.message_type
        for part in (value if field.is_repeated else [value]))


def exported(image, ending=".pftrace"):
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.sbtrace"), pathlib.Path(folder, "out" + ending)
        source.write_bytes(image.bytes())
        subprocess.run([TOOL, source, "-o", target], check=True)
        assert sorted(os.listdir(folder)) == sorted([source.name, target.name])
        return target.read_bytes()


class PerfettoTests(unittest.TestCase):
    def sample(self):
        image = Image()
        image.name(recorded.THREAD, 1, "main", flags=1, extra=4711)
        image.name(recorded.THREAD, 2, "sb-1", flags=2, extra=4712)
        image.name(recorded.QUEUE, 7, "com.example.log <é>")
        image.name(recorded.OBJECT, 5, "slots", flags=3)
        image.name(recorded.TEXT, 3, "frame")
        image.event(100, 1, recorded.SUBMITTED, 7, 64)
        image.event(150, 1, recorded.SUBMITTED, 7, 128)
        image.event(200, 2, recorded.STARTED, 7, 64)
        image.event(250, 2, recorded.WAIT_BEGAN, 5, a=1)
        image.event(260, 1, recorded.SIGNALLED, 5)
        image.event(270, 2, recorded.WAIT_ENDED, 5, a=1)
        image.event(280, 1, recorded.MARK, 0, 3)
        image.event(300, 2, recorded.FINISHED, 7, 64)
        image.event(310, 2, recorded.STARTED, 7, 128)
        image.event(400, 2, recorded.TIMER_FIRED, 6, 25)
        return Decoded(exported(image))

    def test_process_threads_and_clock(self):
        trace = self.sample()
        processes = [track.process for track in trace.tracks.values() if track.HasField("process")]
        self.assertEqual([(p.pid, p.process_name) for p in processes], [(4711, "painter")])
        threads = [track.thread for track in trace.tracks.values() if track.HasField("thread")]
        self.assertEqual([(t.pid, t.tid, t.thread_name) for t in threads],
                         [(4711, 4711, "main"), (4711, 4712, "sb-1")])
        clocks = {clock.clock_id: clock.timestamp for clock in trace.clocks.clocks}
        self.assertEqual(clocks, {perfetto.BUILTIN_CLOCK_MONOTONIC: BEGAN,
                                  perfetto.BUILTIN_CLOCK_REALTIME: WALL})
        self.assertEqual(trace.clocks.primary_trace_clock, perfetto.BUILTIN_CLOCK_MONOTONIC)
        self.assertEqual(trace.defaults.timestamp_clock_id, perfetto.BUILTIN_CLOCK_MONOTONIC)

    def intervals(self):
        image = Image()
        image.name(recorded.THREAD, 1, "main", flags=1, extra=4711)
        image.name(recorded.THREAD, 2, "sb-1", flags=2, extra=4712)
        image.name(recorded.TEXT, 300, "decode")
        image.name(recorded.TEXT, 301, "photo <é>")
        image.name(recorded.TEXT, 302, "request")
        begins, ends, scoped = recorded.BEGINS, recorded.ENDS, recorded.SCOPED
        image.event(100, 1, recorded.MARK, 1, 300, flags=begins | scoped, b=301)
        image.event(110, 1, recorded.MARK, 2, 302, flags=begins)
        image.event(120, 1, recorded.MARK, 3, 302, flags=begins)
        image.event(130, 1, recorded.MARK, 4, 300, flags=begins | scoped)
        image.event(140, 1, recorded.MARK, 4, 300, flags=ends | scoped)
        image.event(150, 1, recorded.MARK, 1, 300, flags=ends | scoped)
        image.event(160, 2, recorded.MARK, 2, 302, flags=ends)
        image.event(170, 1, recorded.MARK, 5, 302, flags=begins)
        return Decoded(exported(image))

    def test_scoped_intervals_nest_on_the_track_of_their_thread(self):
        trace = self.intervals()
        track = trace.track(thread="main")
        self.assertEqual(trace.slices(track), [(100, 150, "decode", 0), (130, 140, "decode", 1)])
        first = trace.events[track][0]
        self.assertEqual(first["category"], ["interval"])
        self.assertEqual(first["notes"], {"interval": 1, "details": "photo <é>"})
        self.assertNotIn("decode", [track.name for track in trace.tracks.values()])

    def test_other_intervals_have_a_track_for_each_name_and_a_lane_where_they_overlap(self):
        trace = self.intervals()
        tracks = [uuid for uuid, track in trace.tracks.items() if track.name == "request"]
        self.assertEqual([trace.slices(track) for track in tracks], [
            [(110, 160, "request", 0), (170, None, "request", 0)], [(120, None, "request", 0)]])
        self.assertEqual(trace.tracks[tracks[1]].parent_uuid, tracks[0])
        notes = trace.events[tracks[0]][0]["notes"]
        self.assertEqual(notes, {"interval": 2, "began on": "main", "ended on": "sb-1"})

    def test_slices_of_threads(self):
        trace = self.sample()
        self.assertEqual(trace.slices(trace.track(thread="sb-1")), [
            (200, 300, "com.example.log <é>", 0),
            (250, 270, "waits for a signal of the semaphore \"slots\"", 1),
            (310, None, "com.example.log <é>", 0)])
        instants = [(event["at"], event["category"], event["name"])
                    for uuid in trace.events for event in trace.events[uuid]
                    if event["type"] == EVENT.TYPE_INSTANT]
        self.assertEqual(sorted(instants), [
            (100, ["submit"], "to com.example.log <é>"), (150, ["submit"], "to com.example.log <é>"),
            (280, ["mark"], "frame"), (400, ["timer"], "timer fires")])

    def test_queue_and_its_depth(self):
        trace = self.sample()
        queue = trace.track(name="com.example.log <é>")
        self.assertEqual(trace.slices(queue), [(200, 300, "on sb-1", 0), (310, None, "on sb-1", 0)])
        depth = trace.track(name="depth")
        self.assertEqual(trace.tracks[depth].parent_uuid, queue)
        self.assertTrue(trace.tracks[depth].HasField("counter"))
        self.assertEqual([(event["at"], event["value"]) for event in trace.events[depth]],
                         [(100, 1), (150, 2), (200, 1), (310, 0)])

    def test_flows_lead_from_submission_to_start(self):
        trace = self.sample()
        leaves = {flow: event["at"] for events in trace.events.values() for event in events
                  for flow in event["flows"]}
        arrives = {flow: event["at"] for events in trace.events.values() for event in events
                   for flow in event["ends"]}
        self.assertEqual(leaves.keys(), arrives.keys())
        self.assertEqual(sorted((leaves[flow], arrives[flow]) for flow in leaves),
                         [(100, 200), (150, 310)])
        starts = [event for event in trace.events[trace.track(thread="sb-1")] if event["ends"]]
        self.assertEqual([event["notes"] for event in starts], [{"waited_ns": 100}, {"waited_ns": 160}])

    def test_items_that_run_together_have_lanes(self):
        image = Image()
        image.name(recorded.QUEUE, 7, "pool", flags=1)
        for item in range(3):
            image.event(10 + item, item + 1, recorded.STARTED, 7, item)
            image.event(50 - 10 * item, item + 1, recorded.FINISHED, 7, item)
        image.event(60, 1, recorded.STARTED, 7, 9)
        image.event(70, 1, recorded.FINISHED, 7, 9)
        trace = Decoded(exported(image))
        lanes = [trace.slices(uuid) for uuid, track in trace.tracks.items() if track.name == "pool"]
        self.assertEqual(lanes, [[(10, 50, "on thread 1", 0), (60, 70, "on thread 1", 0)],
                                 [(11, 40, "on thread 2", 0)], [(12, 30, "on thread 3", 0)]])

    def test_many_items_by_chance(self):
        for seed in range(20):
            chance, image, now, stacks, pending = random.Random(seed), Image(), 0, {}, []
            ran = collections.Counter()
            for queue in range(1, 5):
                image.name(recorded.QUEUE, queue, f"queue {queue}", flags=queue % 2)
            for _ in range(2000):
                now += chance.randrange(4)
                thread = chance.randrange(1, 6)
                stack = stacks.setdefault(thread, [])
                step = chance.randrange(3)
                if step == 0:
                    pending.append((chance.randrange(1, 5), 1000 + len(image.threads) + now * 8))
                    now += 1
                    image.event(now, thread, recorded.SUBMITTED, *pending[-1])
                elif step == 1 and pending:
                    now += 1
                    item = pending.pop(chance.randrange(len(pending)))
                    stack.append((item, now))
                    image.event(now, thread, recorded.STARTED, *item)
                elif stack:
                    item, began = stack.pop()
                    image.event(now, thread, recorded.FINISHED, *item)
                    ran[(f"thread {thread}", began, now, f"queue {item[0]}")] += 1
            for thread, stack in stacks.items():
                for item, began in stack:
                    ran[(f"thread {thread}", began, None, f"queue {item[0]}")] += 1
            trace = Decoded(exported(image))
            told, queues = collections.Counter(), collections.Counter()
            for uuid, track in trace.tracks.items():
                for begin, end, name, depth in trace.slices(uuid):
                    if track.HasField("thread"):
                        told[(track.thread.thread_name, begin, end, name)] += 1
                    else:
                        self.assertEqual(depth, 0)
                        queues[(name[len("on "):], begin, end, track.name)] += 1
            self.assertEqual(told, ran, f"seed {seed}")
            self.assertEqual(queues, ran, f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
