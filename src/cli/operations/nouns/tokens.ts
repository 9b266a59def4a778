import type { CreatedToken } from '../../../model/api/lockhound-api.generated.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: { items: 'tokens' },
    create: {
      // Alone on its line, so that it can be copied.
      text: ({ id, token, expiresAt }: CreatedToken) =>
        `${token}\n\nThis is shown once. Send it as \`Authorization: Bearer\`. Token ${id} is valid ${expiresAt === undefined ? 'until it is revoked' : `until ${expiresAt}`}.\n`,
    },
    revoke: { text: (_done, { params }) => `${params['token']} is revoked\n` },
  },
  examples: `
Examples:
  lockhound tokens create --name ci --role submit --targets 'team-a/*' --expires 90d
  lockhound tokens
  lockhound tokens revoke 3f2a9c01d4e5

\`read\` sees findings and scans, \`submit\` also submits scans, \`admin\` also changes what is stored. A token is shown once and stored
as a hash. While there is no token, \`lockhound serve\` answers programs of this machine only, and nobody on other addresses.
Exit codes: 0 done, 2 an error, or no such token.`,
};
