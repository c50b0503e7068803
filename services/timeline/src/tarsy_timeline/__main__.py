from tarsy_service.entry import run_main
from tarsy_timeline.app import build
from tarsy_timeline.settings import TimelineSettings

if __name__ == "__main__":
    run_main(TimelineSettings, build)
