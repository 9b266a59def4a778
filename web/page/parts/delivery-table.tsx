import { useState } from 'preact/hooks';
import type { Delivery } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { may } from '../api/session.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { Action } from './action.tsx';
import { counted, formatNumber, formatTime } from './format.ts';
import { scanAddress, targetAddress } from './links.ts';
import { Nothing, Shown } from './notice.tsx';
import { Table } from './table.tsx';
import { Time } from './time.tsx';

const RETRIED = {
  queued: 'The alert is sent again.',
  delivered: 'The alert was delivered already.',
  held: 'The alert is held: its route is stopped.',
  unknown: 'There is nothing left to send.',
} as const;

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  readonly onChange: () => void;
}

export function DeliveryTable({ deliveries, onChange }: DeliveryTableProps) {
  return (
    <Table
      label="Deliveries"
      columns={['State', 'Route', 'Target', { name: 'Changes', isNumber: true }, 'Last change', 'Attempts']}
    >
      {deliveries.map((one) => (
        <DeliveryRows key={one.id} one={one} onChange={onChange} />
      ))}
    </Table>
  );
}

interface DeliveryRowsProps {
  readonly one: Delivery;
  readonly onChange: () => void;
}

function DeliveryRows({ one, onChange }: DeliveryRowsProps) {
  const [isOpen, setOpen] = useState(false);
  const retry = async (): Promise<string> => {
    const { deliveries } = await call('lockhound.deliveries.retry', { delivery: [one.id] });
    onChange();
    return RETRIED[deliveries[0]?.outcome ?? 'unknown'];
  };
  return (
    <>
      <tr>
        <td data-label="State">
          <span class={`mark state-${one.state}`}>{one.state}</span>
          {one.reason === undefined ? null : <p class="faint">{one.reason}</p>}
        </td>
        <td data-label="Route">{one.route}</td>
        <td data-label="Target">
          <a href={targetAddress(one.target)}>{one.target}</a>
        </td>
        <td data-label="Changes" class="number">
          {formatNumber(one.changes)}
        </td>
        <td data-label="Last change">
          <Time at={one.updatedAt} />
          {one.nextAttemptAt === undefined ? null : (
            <span class="faint">
              {' '}
              again <Time at={one.nextAttemptAt} />
            </span>
          )}
        </td>
        <td data-label="Attempts">
          <div class="actions start">
            <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {counted(one.attempts, 'attempt')}
            </button>
            {one.state !== 'delivered' && may('lockhound.deliveries.retry') ? (
              <Action name="Retry" label={`Retry ${one.id}`} onDo={retry} />
            ) : null}
          </div>
        </td>
      </tr>
      {isOpen ? (
        <tr class="more-row">
          <td colSpan={6}>
            <Attempts delivery={one.id} scan={one.scan} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

function Attempts({ delivery, scan }: { readonly delivery: string; readonly scan: string }) {
  const loaded = useLoaded(`delivery ${delivery}`, (signal) =>
    call('lockhound.deliveries.get', { delivery }, { signal }),
  );
  return (
    <Shown loaded={loaded}>
      {({ attempts }) => (
        <>
          <p class="faint">
            Id of the alert (<code>webhook-id</code>): <code>{delivery}</code>,{' '}
            <a href={scanAddress(scan)}>the scan that it is about</a>
          </p>
          {attempts.length === 0 ? <Nothing>It was not sent yet.</Nothing> : null}
          <ul class="rows">
            {attempts.map(({ at, status, error, answer, durationMs, bytes }) => (
              <li key={at}>
                <strong>{status ?? 'no answer'}</strong>
                <span>{formatTime(at)}</span>
                <span class="faint">
                  {formatNumber(Math.round(durationMs))} ms
                  {bytes === undefined ? '' : `, ${formatNumber(bytes)} bytes`}
                </span>
                {error === undefined ? null : <span>{error}</span>}
                {answer === undefined || answer === '' ? null : <code>{answer}</code>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Shown>
  );
}
