// The result of each investigation, as soon as it is there. Repeats are dropped by the last sequence of each session.
import { Kafka, logLevel, type SASLOptions } from "kafkajs";

/** schemas/public/tarsy.session.completed.1.json */
interface Completed {
  analysis: string;
  executive_summary: string;
}

const username = process.env.TARSY_KAFKA_USERNAME;
const sasl: SASLOptions | undefined = username
  ? { mechanism: "plain", username, password: process.env.TARSY_KAFKA_PASSWORD ?? "" }
  : undefined;
const brokers = (process.env.TARSY_KAFKA ?? "127.0.0.1:9092").split(",");
const consumer = new Kafka({ brokers, sasl, logLevel: logLevel.ERROR }).consumer({ groupId: "tarsy.consumer-typescript" });
const last = new Map<string, number>();

await consumer.connect();
await consumer.subscribe({ topic: `${process.env.TARSY_TOPIC_PREFIX ?? "tarsy"}.events`, fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    const session = String(message.headers?.ce_subject);
    const sequence = Number(message.headers?.ce_sequence);
    if (!(sequence > (last.get(session) ?? 0))) return;
    last.set(session, sequence);
    if (String(message.headers?.ce_type) !== "tarsy.session.completed") return;
    const event: Completed = JSON.parse(String(message.value));
    console.log(session, event.executive_summary);
  },
});
