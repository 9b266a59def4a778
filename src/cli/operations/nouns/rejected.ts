import { readFile } from 'node:fs/promises';
import { text as textOfStream } from 'node:stream/consumers';
import type {
  DroppedPayloads,
  RetriedPayload,
  RetriedPayloads,
} from '../../../model/api/lockhound-api.generated.ts';
import {
  rejectedDataText,
  rejectedListText,
  rejectedText,
  retriedPayloadsText,
  retriedPayloadText,
} from '../../../report/rejected.ts';
import { unreadable } from '../../program/errors.ts';
import type { Noun } from '../noun.ts';

const isQueued = ({ outcome }: RetriedPayload): boolean => outcome === 'queued';

export const NOUN: Noun = {
  verbs: {
    list: { items: 'rejected', limit: 50, text: rejectedListText },
    get: { text: rejectedText, formats: { data: rejectedDataText } },
    retry: {
      body: {
        made: ['data'],
        options: (command) =>
          void command.option('--data <file>', 'corrected data (JSON); `-` reads standard input'),
        complete: async (_typed, { data }) =>
          data === undefined ? {} : { data: await readData(String(data)) },
      },
      text: retriedPayloadText,
      isFound: isQueued,
    },
    retryAll: {
      text: retriedPayloadsText,
      isFound: ({ rejected }: RetriedPayloads) => rejected.every(isQueued),
    },
    drop: { text: (_done, { params }) => `${params['id']} is deleted\n` },
    dropAll: { text: ({ dropped }: DroppedPayloads) => `Deleted ${dropped} rejected payloads.\n` },
  },
  examples: `
Examples:
  lockhound rejected                                        invalid payloads with their faults
  lockhound rejected get ingest-lockfiles j5f0c… --format data > fixed.json
                                                            the data of one payload, to correct it
  lockhound rejected retry ingest-lockfiles j5f0c… --data fixed.json
                                                            puts the corrected payload back on its queue
  lockhound rejected retry-all                              after an upgrade: payloads that are valid now
  lockhound rejected drop ingest-lockfiles j5f0c…           deletes a payload and its job

Exit codes: 0 done, 1 some payloads were not put back, 2 an error.`,
};

async function readData(file: string): Promise<string> {
  if (file === '-') return await textOfStream(process.stdin);
  return await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
}
