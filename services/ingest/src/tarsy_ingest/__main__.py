from tarsy_ingest.app import build
from tarsy_ingest.settings import IngestSettings
from tarsy_service.entry import run_main

run_main(IngestSettings, build)
