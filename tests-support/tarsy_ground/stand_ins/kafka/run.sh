#!/bin/sh
# A variable KAFKA_A_B=c becomes the property a.b=c, as in the image of the Apache project.
set -ef
env | grep '^KAFKA_' | grep -v '^KAFKA_HEAP_OPTS=' | while IFS='=' read -r name value; do
    echo "$(echo "${name#KAFKA_}" | tr 'A-Z_' 'a-z.')=$value"
done > /tmp/server.properties
java="/opt/kafka/java/bin/java ${KAFKA_HEAP_OPTS:--Xmx512m} -cp /opt/kafka/libs/*"
if [ ! -e "$KAFKA_LOG_DIRS/meta.properties" ]; then
    $java kafka.tools.StorageTool format -t "$CLUSTER_ID" -c /tmp/server.properties
fi
exec $java kafka.Kafka /tmp/server.properties
