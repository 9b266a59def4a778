import { call } from '../api/call.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { ViewHead } from '../parts/card.tsx';
import { formatNumber, formatSpan } from '../parts/format.ts';
import { Shown } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';

const COUNTS = [
  ['waiting', 'Waiting'],
  ['active', 'Active'],
  ['delayed', 'Delayed'],
  ['parents', 'Parents'],
  ['failed', 'Failed'],
] as const;

/** Jobs by queue and state, of all workers together. */
export function QueuesView() {
  const loaded = useLoaded('queues', (signal) => call('lockhound.queues.list', {}, { signal }));
  return (
    <>
      <ViewHead
        title="Queues"
        note="Parents wait for other jobs. The oldest job leaves out intended delays."
      />
      <Shown loaded={loaded}>
        {({ queues }) => (
          <Table
            label="Queues"
            columns={[
              'Queue',
              ...COUNTS.map(([, name]) => ({ name, isNumber: true })),
              { name: 'Oldest', isNumber: true },
            ]}
          >
            {queues.map((one) => (
              <tr key={one.queue}>
                <td data-label="Queue">{one.queue}</td>
                {COUNTS.map(([key, name]) => (
                  <td key={key} data-label={name} class={`number ${one[key] === 0 ? 'faint' : ''}`}>
                    {formatNumber(one[key])}
                  </td>
                ))}
                <td data-label="Oldest" class="number">
                  {one.waiting === 0 ? '–' : formatSpan(one.oldestMs)}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </>
  );
}
