import { z } from 'zod';
import { RATED_SEVERITIES } from '../model/scan/finding.ts';

export const severity = z.enum(RATED_SEVERITIES, {
  error: `one of ${RATED_SEVERITIES.join(', ')}; \`policy.unknownSeverity\` says what an unrated advisory counts as`,
});
