import type { Dossier } from '../../../model/api/lockhound-api.generated.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  resource: 'dossiers',
  verbs: {
    get: {
      args: ['subject'],
      limit: 50,
      isFound: ({ count }: Dossier) => count > 0,
      columns: { from: 'at commit', until: 'at commit' },
      formats: {
        html: async (answer) => (await import('../../../report/dossier/html.ts')).renderDossier(answer),
        csaf: async (answer) => (await import('../../../report/dossier/csaf.ts')).renderCsaf(answer),
      },
      isSigned: true,
    },
  },
  examples: `
Examples:
  lockhound dossier CVE-2026-1234                                affected targets and releases, and what is open
  lockhound dossier CVE-2026-1234 --format html --output cve.html
  lockhound dossier CVE-2026-1234 --stage notification --format csaf --output cve.json --sign key.pem
  lockhound dossier org/shop@release:2.4.1 --format csaf         the vulnerabilities of one release

The result is a draft: a person decides what it leaves open. With --sign, \`<output>.sig\` has the Ed25519 signature of the file in Base64.
Exit codes: 0 done, 1 no target is known to hold it, 2 an error, no such release, or an incomplete result.`,
};
