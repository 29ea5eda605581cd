"""The detail view of GooglyPuff's page: the original first, then the result fades in; how to open
and close it."""
import re
import unittest

from googly_page import ActionChains, GooglyPageTest, Keys

OPEN = "document.getElementById('detail').open"
SHOWN = "document.querySelector('.result.shown')?.naturalWidth > 0"


class Detail(GooglyPageTest):
    def open_first(self, *names, **fields):
        numbers = self.add(*(names or ("face.png",)), **fields)
        self.open()
        self.browser.click(self.card(numbers[0]))
        self.until(OPEN)
        return numbers

    def until_pictures(self):
        """Waits until the original is there, and the thumbnail. Of a photo that is gone, the server has
        none."""
        self.until("document.querySelector('.original.shown') && [...document.querySelectorAll('#picture img')]"
                   ".every((image) => image.complete)")

    def test_the_original_comes_first_and_the_result_fades_in(self):
        number, = self.open_first()
        self.until_asked("POST", f"/photos/{number}/work")
        self.until("document.querySelector('.original.shown')?.naturalWidth > 0")
        self.until("document.getElementById('detail-status').textContent === 'Waiting for its turn'")
        self.assertEqual(self.browser.value("document.querySelectorAll('.result').length"), 0)
        self.assertFalse(self.browser.find("#compare").is_displayed())
        self.mock.update(number, work="running")
        self.until("document.getElementById('detail-status').textContent.includes('in the background')")
        self.assertIn("Main queue answers", self.browser.text("#detail-answer"))
        self.mock.finish(number)
        self.until(SHOWN)
        self.assertEqual(self.browser.value(
            "getComputedStyle(document.querySelector('.result')).transitionDuration"), "0.9s")
        self.assertEqual(self.browser.text("#detail-status"), "Googly eyes on 1 face")
        self.assertIn("1 face", self.browser.text("#detail-facts"))
        self.assertTrue(self.browser.find("#compare").is_displayed())
        self.assertTrue(self.browser.find("#detail-full").get_attribute("href")
                        .endswith(f"/photos/{number}/googly"))
        self.assertEqual(self.mock.requests.count(("POST", f"/photos/{number}/work")), 1)

    def test_without_a_face_there_is_nothing_to_compare(self):
        number, = self.open_first()
        self.mock.finish(number, faces=0)
        self.until("document.getElementById('detail-status').textContent.startsWith('No face')")
        self.assertFalse(self.browser.find("#compare").is_displayed())
        self.assertEqual(self.browser.value("document.querySelectorAll('.result').length"), 0)

    def test_a_photo_that_failed_says_why(self):
        self.open_first("broken.png", work="failed", error="the file is cut short")
        self.assertIn("the file is cut short", self.browser.text("#detail-status"))

    def test_what_is_downloading_is_asked_for_when_it_is_there(self):
        number, = self.open_first("far.jpg", status="downloading", received=1000, expected=2000)
        self.assertIn("1 kB of 2 kB", self.browser.text("#detail-status"))
        self.assertNotIn(("POST", f"/photos/{number}/work"), self.mock.requests)
        self.mock.arrive(number)
        self.until_asked("POST", f"/photos/{number}/work")

    def test_escape_back_and_the_button_lead_to_the_gallery(self):
        one, two = self.open_first("one.png", "two.png")
        for leave in (lambda: self.browser.press(Keys.ESCAPE), self.browser.driver.back,
                      lambda: self.browser.click("#detail-close")):
            leave()
            self.until(f"!{OPEN}")
            self.assertEqual(self.focused(), one)
            self.assertEqual(self.browser.value("location.hash"), "")
            self.browser.press(Keys.ENTER)
            self.until(OPEN)
        self.browser.press(Keys.ARROW_RIGHT)
        self.until("location.hash === arguments[0]", f"#photo-{two}")
        self.browser.driver.back()
        self.until(f"!{OPEN}")
        self.assertEqual(self.focused(), two)

    def test_arrows_turn_to_the_neighbours(self):
        one, two = self.open_first("one.png", "two.png")
        self.browser.press(Keys.ARROW_LEFT)
        self.assertEqual(self.browser.text("#detail-name"), "one.png")
        self.assertEqual(self.browser.find("#detail-previous").get_attribute("aria-disabled"), "true")
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.text("#detail-name"), "two.png")
        self.until_asked("POST", f"/photos/{two}/work")
        self.browser.click("#detail-previous")
        self.assertEqual(self.browser.text("#detail-name"), "one.png")
        self.assertEqual(self.browser.value("document.title"), "one.png · GooglyPuff")
        self.assertNotEqual(one, two)

    def test_an_address_opens_its_photo(self):
        number, = self.add("one.png")
        self.open(f"#photo-{number}")
        self.until(OPEN)
        self.browser.press(Keys.ESCAPE)
        self.until(f"!{OPEN}")

    def test_an_address_of_no_photo_says_so(self):
        self.open("#photo-99")
        self.until("document.getElementById('toasts').textContent.includes('not here')")
        self.assertFalse(self.browser.value(OPEN))

    def part(self):
        return self.browser.value("document.getElementById('compare-range').valueAsNumber")

    def test_the_slider_and_the_pointer_compare(self):
        number, = self.open_first()
        self.mock.finish(number)
        self.until(SHOWN)
        slider = self.browser.find("#compare-range")
        slider.send_keys(Keys.ARROW_RIGHT * 3)
        self.assertEqual(self.part(), 3)
        self.assertEqual(slider.get_attribute("aria-valuetext"), "3 % original")
        self.assertEqual(self.browser.text("#detail-name"), "face.png")
        picture = self.browser.find("#picture")
        ActionChains(self.browser.driver).move_to_element(picture).click_and_hold() \
            .move_by_offset(picture.size["width"] // 4, 0).release().perform()
        self.assertAlmostEqual(self.part(), 75, delta=3)
        self.assertAlmostEqual(float(re.search(r"([\d.]+)%", self.browser.value(
            "getComputedStyle(document.querySelector('.result')).clipPath"))[1]), 75, delta=3)

    def test_a_key_that_is_held_shows_the_original(self):
        number, = self.open_first()
        self.mock.finish(number)
        self.until(SHOWN)
        seen = "getComputedStyle(document.querySelector('.result')).visibility"
        chain = ActionChains(self.browser.driver)
        chain.key_down("o").perform()
        self.assertEqual(self.browser.value(seen), "hidden")
        chain.key_up("o").perform()
        self.assertEqual(self.browser.value(seen), "visible")
        button = self.browser.find("#compare-hold")
        ActionChains(self.browser.driver).click_and_hold(button).perform()
        self.assertEqual(self.browser.value(seen), "hidden")
        ActionChains(self.browser.driver).release().perform()
        self.assertEqual(self.browser.value(seen), "visible")

    def test_the_next_photo_takes_the_place_of_a_removed_one(self):
        one, two = self.open_first("one.png", "two.png", work="done", faces=0)
        self.until_pictures()
        self.browser.press(Keys.DELETE)
        self.until("document.getElementById('detail-name').textContent === 'two.png'")
        self.until_pictures()
        self.browser.click("#detail-remove")
        self.until(f"!{OPEN}")
        self.until_shown()
        self.assertEqual(len(self.browser.all(".toast")), 2)
        for _ in range(2):
            self.browser.click(".toast .icon")
        for number in (one, two):
            self.until_asked("DELETE", f"/photos/{number}")

    def test_a_photo_that_vanishes_closes_its_detail(self):
        number, = self.open_first(work="done", faces=0)
        self.until_pictures()
        self.mock.remove(number)
        self.until(f"!{OPEN}")

    def test_less_motion_is_respected(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        try:
            number, = self.open_first()
            self.mock.finish(number)
            self.until(SHOWN)
            self.assertEqual(self.browser.value(
                "getComputedStyle(document.querySelector('.result')).transitionDuration"), "0s")
            self.assertEqual(self.browser.value("getComputedStyle(document.getElementById('detail'))"
                                                ".animationName"), "none")
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


class RefusedWork(GooglyPageTest):
    provoked = ("507",)

    def test_refused_work_says_why(self):
        number, = self.add("one.png")
        self.mock.refusals["POST", f"/photos/{number}/work"] = (507, "There is no room")
        self.open(f"#photo-{number}")
        self.until("document.getElementById('toasts').textContent.includes('There is no room')")


if __name__ == "__main__":
    unittest.main()
