import { z } from 'zod';
import { rangesOf } from '../../http/address-guard.ts';
import { ROLES } from '../../model/api/api-token.ts';
import { secretReference } from '../secret-reference.ts';
import { addressList, durationFrom, httpUrl } from '../values.ts';

/** Settings of `lockhound serve`. */
export const serve = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('Address of `lockhound serve`.'),
  port: z.int().min(0).max(65_535).default(8_705).describe('Its port; `0`: any.'),
  healthPort: z
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe(
      'Port of `/healthz`, `/readyz` and `/metrics` without tokens, for probes and Prometheus. Unset: none.',
    ),
  healthHost: z.string().min(1).default('127.0.0.1').describe('Address of the health port.'),
  maxBodyBytes: z
    .int()
    .min(1_024)
    .max(1_073_741_824)
    .default(67_108_864)
    .describe('Size limit of a request in bytes.'),
  receiveTimeout: durationFrom(1_000, '30s', 3_600_000).describe(
    'Time limit for receiving a request, and for an answer of which nothing is read.',
  ),
  url: httpUrl
    .optional()
    .describe(
      'URL of a running server that commands ask, with the token in `LOCKHOUND_TOKEN`. Unset: they read Redis.',
    ),
  publicUrl: httpUrl
    .optional()
    .describe('URL by which browsers and other services reach it, where a proxy is in between.'),
  requestsPerSecond: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(500)
    .describe('Requests that one caller may send to one server in a second.'),
  proxy: z
    .strictObject({
      addresses: addressList(rangesOf).min(1).describe('Addresses or CIDR ranges of the proxy.'),
      header: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'the name of a header')
        .default('X-Forwarded-User')
        .describe('Header with the name of the person.'),
      role: z.enum(ROLES).default('read').describe('What these people may do.'),
      targets: z
        .array(z.string().min(1).max(200))
        .min(1)
        .default(['*'])
        .describe('Targets that they may see; `*` matches any text.'),
    })
    .optional()
    .describe('A proxy that authenticates people. The header of other addresses is ignored.'),
  sources: z
    .array(
      z.strictObject({
        url: z
          .string()
          .regex(
            /^https?:\/\/[^*/?#@]+\/\S*$/,
            'an http or https URL with a host and a path; `*` matches any text in the path',
          )
          .describe('URLs of files or repositories; `*` matches any text.'),
        credentials: z.string().optional().describe('Entry of `credentials` that is sent to them.'),
      }),
    )
    .default([])
    .describe('Sources that callers and pushes may have scanned by their URL.'),
  triggers: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[a-z][a-z0-9-]{0,39}$/, 'lower-case letters, digits and `-`, beginning with a letter'),
        kind: z.enum(['github', 'gitlab']).describe('Who sends the webhooks.'),
        secret: secretReference.describe('Secret of the webhook.'),
        prefix: z
          .string()
          .max(100)
          .default('')
          .describe('In front of the name of a repository: the id of its target.'),
        labels: z
          .record(z.string().min(1).max(63), z.string().max(200))
          .default({})
          .describe('Labels of the targets.'),
      }),
    )
    .default([])
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      error: 'a different name for each trigger',
    })
    .describe('Webhooks of pushes at `/hooks/<name>`, which scan the repository.'),
  key: secretReference
    .optional()
    .describe(
      'Secret that signs page tokens, the same for all servers behind one address. Unset: a random one for each start.',
    ),
});
