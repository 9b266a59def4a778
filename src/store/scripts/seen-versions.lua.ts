import { defineScript } from './run-script.ts';

/**
 * Adds members to sets, and drops others at random from those that hold too many then.
 *
 * Keys: sets. Arguments: bound of each, then for each set the number of its new members and these.
 */
export const ADD_SEEN = defineScript(`
local at = 2
for _, key in ipairs(KEYS) do
  local count = tonumber(ARGV[at])
  if redis.call('SADD', key, unpack(ARGV, at + 1, at + count)) > 0 then
    local excess = redis.call('SCARD', key) - tonumber(ARGV[1])
    if excess > 0 then
      redis.call('SPOP', key, excess)
    end
  end
  at = at + count + 1
end
return #KEYS
`);
