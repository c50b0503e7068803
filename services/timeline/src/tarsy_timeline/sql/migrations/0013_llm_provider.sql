-- The LLM provider that the sender chose. Sessions of older versions have none.
alter table sessions add column llm_provider text;
