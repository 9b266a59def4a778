import { z } from 'zod';
import { lazily } from '../../../model/lazily.ts';
import type { ValueOf } from '../../../model/stored/value-of.ts';
import type { JobType } from '../../job-type.ts';
import { contentOf, ownRequest } from '../../requested-scan.ts';
import { requestedScanId, targetSchema, timestamp } from '../fields.ts';

const schema = lazily(() =>
  z.strictObject({
    scan: requestedScanId(),
    target: targetSchema(),
    // The job checks the rest by the schema of sources, which is loaded when it runs.
    source: z.looseObject({ kind: z.string() }),
    requestedAt: timestamp(),
  }),
);

export type ScanSource = ValueOf<ReturnType<typeof schema>>;

/** Reads the lockfiles of one target from a source and requests their scan, without a schedule. */
export const SCAN_SOURCE: JobType<ScanSource> = {
  name: 'scan-source',
  version: 1,
  schema,
  key: ({ scan }) => scan,
  requested: { own: ownRequest, content: contentOf },
};
