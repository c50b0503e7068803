"""Private parts of aiokafka, all in one room: what it has no public way for. Nobody else touches them.

`libs/bus/tests/test_aiokafka_check.py` lists what is used, and compares it with the installed version. New uses are
added there. The list below says what breaks without each, and names the issues of aio-libs/aiokafka that would end it:

client_tasks       A sending or fetching task that died: the client waits for ever, and looks alive (983, 1037, 1039).
                   `abandon`: without brokers `stop` never ends, and its tasks try for ever (773, 1013, 1101).
cluster_metadata   `leaders`: one partition without a leader stops the others (1155).
                   `group_generation`: owners number their tenures by it (no issue).
                   `pace_metadata`: 2,600 requests a second while a broker refuses connections (1155).
connections        `share_connections`: each client of a process would try each second to reach a lost broker (144).
                   It also asks again after a first answer without brokers, of which members of groups die (460, 551),
                   and makes an OSError of what uvloop raises for a write on a closed transport (1038).
                   `send_to_any_broker`: requests that the admin client has no method for (623, 955).
                   `try_connection`: a wrong password is raised, not logged (no issue).
oauth_refusals     A refused token looks like a cluster without brokers (no issue).
fetches            One record that cannot be parsed stops its partition for ever (321).
                   A fetch of partitions that were taken away holds up a rebalance for up to 5 s (no issue).
produce_batches    All batches would be compressed, or none; small ones, too, for readers of `tarsy.events` (no issue).
"""
