import type { HealthVerdict } from '../../../model/api/lockhound-api.generated.ts';
import { healthText } from '../../../report/administration/diagnoses-text.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    get: {
      text: healthText,
      isFound: ({ verdict }: HealthVerdict) => verdict !== 'broken',
      // It has a verdict without Redis, and while targets are moved to other shards.
      local: (loaded) => async () => await (await import('../../../commands/health.ts')).readHealth(loaded),
    },
    queues: { method: 'lockhound.queues.list', items: 'queues' },
    overview: { method: 'lockhound.fleet.get' },
    trend: { method: 'lockhound.fleet.trend', items: 'days' },
  },
  examples: `
Answers five questions: does work flow, do runs succeed, are the facts about packages fresh, do the workers report, and what is the
bottleneck (request budget, concurrency, order of alerts, receiver, Redis, CPU, number of workers). It reads Redis only, in constant time.
\`lockhound doctor\` looks for causes.

Exit codes: 0 everything works, or works with something to look at (\`degraded\`), or is not known (\`unknown\`); 1 something does not work (\`broken\`); 2 an error.`,
};
