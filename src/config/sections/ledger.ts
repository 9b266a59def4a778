import { z } from 'zod';
import { secretReference } from '../secret-reference.ts';
import { durationOf, httpUrl, targetLabels } from '../values.ts';

const keep = (text: string) =>
  durationOf(text).describe('How long it is kept what scans changed. `0d`: no ledger is kept.');

const s3 = z.strictObject({
  endpoint: httpUrl
    .refine((text) => {
      const url = URL.parse(text);
      // A text that is no URL is refused as such.
      return url === null || url.username + url.password + url.search + url.hash === '';
    }, 'a URL without credentials and query')
    .describe(
      'URL of the service, such as `https://s3.eu-central-1.amazonaws.com`. The bucket follows in the path.',
    ),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/, 'the name of a region')
    .default('us-east-1')
    .describe('Region that signatures name.'),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
  prefix: z
    .string()
    .max(500)
    .regex(/^(?:[\w-][\w.-]*\/)*$/, 'empty, or a path that ends with `/`')
    .default('')
    .describe('Precedes the names of objects. Installations that share a bucket need different ones.'),
  accessKeyId: secretReference.describe('Id of the access key.'),
  secretAccessKey: secretReference.describe('Secret of the access key.'),
  sessionToken: secretReference.optional().describe('Token of temporary credentials.'),
});

const storage = z
  .strictObject({
    after: durationOf('30d').describe('Blocks of entries that are older than this leave Redis.'),
    folder: z.string().min(1).optional().describe('Folder of the storage. It has to exist.'),
    s3: s3.optional().describe('Or a bucket of S3, or of a service with its protocol.'),
  })
  .refine((one) => (one.folder === undefined) !== (one.s3 === undefined), {
    error: 'name either a `folder` or a bucket (`s3`)',
  });

/** The memory of the fleet: what each scan changed (`docs/ledger.md`). */
export const ledger = z.strictObject({
  keep: keep('730d'),
  storage: storage
    .optional()
    .describe('Where old blocks of ledgers are kept. Unset: Redis keeps all of them.'),
  byLabel: z
    .array(
      z.strictObject({
        labels: targetLabels(),
        keep: keep('730d'),
      }),
    )
    .max(1_000)
    .default([])
    .describe(
      'In place of `ledger.keep` for targets with these labels (`*` matches any text); the last entry that fits counts.',
    ),
});
