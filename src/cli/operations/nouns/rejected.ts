import type {
  DroppedPayloads,
  RejectedPayload,
  RetriedPayload,
  RetriedPayloads,
} from '../../../model/api/lockhound-api.generated.ts';
import { jsonValue } from '../../../model/json-object.ts';
import { printable } from '../../../model/printable.ts';
import { readInput } from '../../program/input.ts';
import type { Noun } from '../noun.ts';

const isQueued = ({ outcome }: RetriedPayload): boolean => outcome === 'queued';

export const NOUN: Noun = {
  verbs: {
    list: { items: 'rejected', limit: 50, columns: { rejected: 'id job at issues' } },
    get: { formats: { data: dataText } },
    retry: {
      body: {
        made: ['data'],
        options: (command) =>
          void command.option('--data <file>', 'corrected data (JSON); `-` reads standard input'),
        complete: async (_typed, { data }) =>
          data === undefined ? {} : { data: await readInput(String(data)) },
      },
      isFound: isQueued,
    },
    retryAll: {
      isFound: ({ rejected }: RetriedPayloads) => rejected.every(isQueued),
    },
    drop: { text: (_done, { params }) => `${params['id']} is deleted\n` },
    dropAll: { text: ({ dropped }: DroppedPayloads) => `Deleted ${dropped} rejected payloads.\n` },
  },
  examples: `
Examples:
  lockhound rejected                                        invalid payloads with their faults
  lockhound rejected get ingest-lockfiles j5f0c… --format data > fixed.json  the data of one payload, to correct it
  lockhound rejected retry ingest-lockfiles j5f0c… --data fixed.json   puts the corrected payload back on its queue
  lockhound rejected retry-all                              after an upgrade: payloads that are valid now
  lockhound rejected drop ingest-lockfiles j5f0c…           deletes a payload and its job

Exit codes: 0 done, 1 some payloads were not put back, 2 an error.`,
};

/** The data alone, indented when it is JSON, with control characters escaped as in JSON. */
function dataText({ data }: RejectedPayload): string {
  const value = jsonValue(data);
  const indented = value === undefined ? data : JSON.stringify(value, undefined, 2);
  return `${indented.split('\n').map(printable).join('\n')}\n`;
}
