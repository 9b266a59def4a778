import { FILE_TEXT, type Noun } from '../noun.ts';

export const NOUN: Noun = {
  resource: 'policies',
  isGroup: true,
  verbs: {
    test: {
      args: ['path'],
      body: FILE_TEXT,
    },
  },
  examples: `
Examples:
  lockhound policy test new.yaml                          the last year under the policy of now, and under another one
  lockhound policy test new.yaml --since 90d --by team    how many alerts each team would have had
  lockhound policy test new.yaml --label team=web --json

Nothing is stored and nothing is sent. docs/ledger.md says what is not known of the past.
Exit codes: 0 done, 2 an error or an incomplete result.`,
};
