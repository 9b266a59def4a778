import type { Dossier, DossierDecision } from '../../model/api/lockhound-api.generated.ts';

type Known = Omit<Dossier, 'decisions'>;

const AWARE = 'When did you become aware of it? The time limits of 24 and 72 hours begin then.';
const EXPLOITED = 'Is it actively exploited in your products, or is there a severe incident?';
const UPDATE = 'Which security update or other corrective measure is available, and since when?';

/** What each report asks, by field (Regulation (EU) 2024/2847, Article 14). Later ones ask all before them. */
const QUESTIONS: Readonly<Record<Dossier['stage'], Readonly<Record<string, string>>>> = {
  early: {
    awareSince: AWARE,
    exploitedInProducts: EXPLOITED,
    markets: 'In which member states are the affected products available?',
    receiver: 'Which CSIRT is the coordinator, and who reports to it?',
  },
  notification: {
    exploitNature: 'What is the general nature of the exploit and of the vulnerability?',
    measuresTaken: 'Which corrective or mitigating measures have been taken?',
    measuresForUsers: 'Which measures can users take?',
    sensitivity: 'How sensitive is what this report says?',
  },
  final: {
    impact: 'How severe is it, and what is its impact in each product?',
    actor: 'What is known of malicious actors that exploit it?',
    update: UPDATE,
  },
};

/** What is known about a field. */
const KNOWN: Readonly<Record<string, (dossier: Known) => string | undefined>> = {
  awareSince: firstTold,
  exploitedInProducts: exploitation,
  update: upgrades,
};

/** What a person has to decide before a report is sent: the questions of its stage and of those before it, and what has no value yet. */
export function decisionsOf(dossier: Known): DossierDecision[] {
  const { stage, publisher, counts, notKnown } = dossier;
  const stages = Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[];
  const asked = stages.slice(0, stages.indexOf(stage) + 1).flatMap((one) => Object.entries(QUESTIONS[one]));
  const open = counts['under_investigation'] ?? 0;
  const missing: readonly (readonly [isMissing: boolean, field: string, question: string])[] = [
    [
      publisher === undefined,
      'publisher',
      'Who is the manufacturer? Set `dossier.publisher`, or fill it in.',
    ],
    [open > 0, 'underInvestigation', `What is the status of the ${open} statements under investigation?`],
    [notKnown > 0, 'notKnown', `What did the ${notKnown} targets without a ledger hold before?`],
  ];
  const all = [...asked, ...missing.flatMap(([isMissing, ...one]) => (isMissing ? [one] : []))];
  return all.map(([field, question]) => {
    const known = KNOWN[field]?.(dossier);
    return { field, question, ...(known === undefined ? {} : { known }) };
  });
}

function firstTold({ statements }: Known): string | undefined {
  const [first] = statements.flatMap(({ told }) => told.map(({ at }) => at)).sort();
  return first === undefined ? undefined : `a receiver accepted the first alert at ${first}`;
}

function exploitation({ vulnerabilities }: Known): string | undefined {
  const listed = vulnerabilities.filter(({ exploited }) => exploited === true).map(({ id }) => id);
  if (listed.length > 0) return `in the catalogue of known exploited vulnerabilities: ${listed.join(', ')}`;
  if (vulnerabilities.length === 0 || vulnerabilities.some((one) => one.exploited === undefined))
    return undefined;
  return 'the catalogue of known exploited vulnerabilities does not have it, which proves nothing';
}

function upgrades({ statements }: Known): string | undefined {
  const all = [...new Set(statements.flatMap(({ remedy }) => remedy ?? []))].sort();
  return all.length === 0 ? undefined : `known upgrades: ${all.slice(0, 10).join('; ')}`;
}
