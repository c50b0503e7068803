-- Bodies of alerts for wrk: `wrk -s post_alerts.lua URL -- distinct|identical RUN`. Each has about 2 kB.

local line = "2026-11-24T10:15:%02d.120Z WARN  checkout/payment retry %d of order 4f1c: upstream connect error, reset reason: timeout\\n"
local lines = {}
for number = 0, 15 do
  lines[#lines + 1] = string.format(line, number, number)
end
local evidence = table.concat(lines)
local threads, number, run, kind = 0, 0, "run", "distinct"

function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

function init(arguments)
  kind, run = arguments[1] or kind, arguments[2] or run
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  if kind == "distinct" then
    number = number + 1
  end
  local name = string.format("%s-%d-%d", run, thread_number, number)
  return wrk.format(nil, nil, nil, '{"data": "Pod checkout-' .. name .. ' restarts.\\n' .. evidence .. '"}')
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %.3f, "refused": %d, "broken": %d, "p50": %.2f, "p99": %.2f, "worst": %.2f}\n',
    summary.requests, summary.duration / 1e6, errors.status, broken,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
