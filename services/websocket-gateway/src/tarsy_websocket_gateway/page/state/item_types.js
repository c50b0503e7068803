// The types of an item of the timeline, and of what is known of it.

/** What is known besides, by the item's type. Text of others stands in it: nothing of it is more than text.
 *  @typedef {object} Metadata
 *  @property {string} [call_id]
 *  @property {string} [call_event_id]
 *  @property {number} [number]  by which texts cite the call
 *  @property {string} [server_name]
 *  @property {string} [tool_name]
 *  @property {Record<string, unknown> | null} [arguments]
 *  @property {string} [outcome]
 *  @property {boolean} [repeatable]
 *  @property {number} [lines]
 *  @property {number} [size]
 *  @property {number} [duration_ms]
 *  @property {boolean} [cut]
 *  @property {boolean} [display_cut]
 *  @property {boolean} [discarded]
 *  @property {boolean} [retry]
 *  @property {string} [model]
 *  @property {string} [llm_provider]
 *  @property {number | null} [tokens_before]
 *  @property {number | null} [tokens_after]
 *  @property {string} [reused_from]  the earlier call whose summary it is
 *  @property {string | null} [reminder]
 *  @property {string} [author]
 *  @property {string} [message_id]
 *  @property {string} [stage_id]
 *  @property {string} [reason]
 *  @property {number} [wait_seconds]
 *  @property {string[]} [tools_left_out]
 *  @property {string} [role]
 *  @property {string} [expires_at]
 *  @property {string} [on_timeout]
 *  @property {string[]} [skill_names]  those in the instructions
 *  @property {string[]} [offered]  skills that the agent may load
 *  @property {{ event?: string, budget_id?: string, at_end?: string, resource?: string, spent?: number,
 *    limit?: number, unpriced?: boolean, day_over?: boolean, outcome?: string }} [budget]
 *  @property {string} [dry_run_event_id]  the item of the call that tries the waiting one out
 *  @property {string} [dry_run_of]  the call that this one tries out
 *  @property {string} [verifies]  the stage whose effect this call looks at
 *  @property {string[]} [queries]  searches of a model's own tool, or addresses that it was to read
 *  @property {import("./citations.js").Source[]} [sources]
 *  @property {number} [sources_left_out]
 *  @property {string} [code]
 *  @property {string} [language]
 *  @property {string} [output]
 *  @property {string} [from]
 *  @property {string} [to] */

/** @typedef {object} Item
 *  @property {string} id
 *  @property {string} sessionId
 *  @property {string | null} executionId  the agent's; null where no agent said it
 *  @property {string} type
 *  @property {string} status
 *  @property {string} content
 *  @property {Metadata} metadata
 *  @property {number} sequence
 *  @property {number | null} number  of the event; null while it is known from its stream alone
 *  @property {string | null} time  when it changed last on the log, as the history has it
 *  @property {boolean} isToldAgain
 *  @property {{ run: number, index: number, text: string } | null} progress */

export {};
