import { z } from 'zod';
import { JOBS } from '../src/jobs/catalog.ts';
import type { AnyJob } from '../src/jobs/job.ts';

/** JSON Schemas (draft 2020-12) of the data of every job, for producers and operators in any language. */
export async function generateSchemas(): Promise<
  readonly { readonly path: string; readonly content: string }[]
> {
  return JOBS.map((job) => ({
    path: `schemas/${job.name}.v${job.version}.json`,
    content: `${JSON.stringify(envelopeSchema(job), null, 2)}\n`,
  }));
}

function envelopeSchema({ name, version, schema }: AnyJob): object {
  const { $schema: dialect, ...payload } = z.toJSONSchema(schema(), { target: 'draft-2020-12', io: 'input' });
  return {
    $schema: dialect,
    $id: `https://lockhound.example/schemas/${name}.v${version}.json`,
    title: `${name}, version ${version}`,
    description: `The data of a job on the queue "${name}".`,
    type: 'object',
    properties: {
      version: { const: version, description: 'Version of the payload.' },
      key: { type: 'string', minLength: 1, maxLength: 512, description: keyDescription(name) },
      payload,
    },
    required: ['version', 'key', 'payload'],
    additionalProperties: false,
  };
}

function keyDescription(name: string): string {
  return name === 'ingest-lockfiles'
    ? 'The same as `payload.scan`.'
    : 'Key of the outcome. Lockhound enqueues this job itself.';
}
