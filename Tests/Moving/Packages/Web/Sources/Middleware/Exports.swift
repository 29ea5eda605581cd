@_exported import Web
