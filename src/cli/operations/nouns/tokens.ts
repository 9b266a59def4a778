import { createdTokenText, tokenListText } from '../../../report/tokens.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: { items: 'tokens', text: tokenListText },
    create: { text: createdTokenText },
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
