--[[
  Removes from a queue of BullMQ's what has waited too long, and the queue's own keys when nothing is left and nobody used it
  that long. At one go, so that nothing that is put there meanwhile is lost.

  KEYS  wait, active, events; then the queue's other keys
  ARGV  what a job's key begins with, the time in milliseconds before which a job is too old, how many of the oldest to look at

  A job that somebody has in hand, by its lock, stays. Returns how many jobs were removed.
]]
local wait, active, events = KEYS[1], KEYS[2], KEYS[3]
local before = tonumber(ARGV[2])

local function expire(list)
  local removed = 0
  local ids = redis.call('LRANGE', list, -ARGV[3], -1)
  for i = #ids, 1, -1 do
    local job = ARGV[1] .. ids[i]
    local put = tonumber(redis.call('HGET', job, 'timestamp') or 0) or 0
    if put < before and redis.call('EXISTS', job .. ':lock') == 0 then
      redis.call('LREM', list, -1, ids[i])
      redis.call('DEL', job)
      removed = removed + 1
    end
  end
  return removed
end

local removed = expire(wait) + expire(active)
if redis.call('EXISTS', wait, active) == 0 then
  local last = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
  if not last or tonumber(string.match(last[1], '^%d+')) < before then redis.call('DEL', unpack(KEYS, 3)) end
end
return removed
