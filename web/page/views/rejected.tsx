import { useState } from 'preact/hooks';
import type { RejectedPayload } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { Action } from '../parts/action.tsx';
import { ViewHead } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Nothing, Shown } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';

/** Payloads that no worker could read, with the reason. */
export function RejectedView() {
  const loaded = useLoaded('rejected', (signal) =>
    call('lockhound.rejected.list', { limit: 100 }, { signal }),
  );
  return (
    <>
      <ViewHead title="Rejected" note="Payloads of producers that do not fit their schema." />
      <Shown loaded={loaded}>
        {({ rejected, total }) => (
          <div class="stack">
            {rejected.length === 0 ? <Nothing>No payload was rejected.</Nothing> : null}
            {rejected.map((one) => (
              <Payload key={`${one.job} ${one.id}`} one={one} onChange={loaded.reload} />
            ))}
            {total > rejected.length ? (
              <p class="faint">
                The newest {rejected.length} of {total} are shown.
              </p>
            ) : null}
          </div>
        )}
      </Shown>
    </>
  );
}

interface PayloadProps {
  readonly one: RejectedPayload;
  readonly onChange: () => void;
}

const RETRIED = {
  queued: 'The payload is queued again.',
  gone: 'The payload is no longer there.',
  'under-way': 'A job with this id exists already.',
  invalid: 'The payload still does not fit.',
} as const;

function Payload({ one: { job, id, at, issues, data, cut }, onChange }: PayloadProps) {
  const [isDropping, setDropping] = useState(false);
  const retry = async (): Promise<string> => {
    const { outcome } = await call('lockhound.rejected.retry', { job, id }, { body: {} });
    onChange();
    return RETRIED[outcome];
  };
  const drop = async (): Promise<void> => {
    await call('lockhound.rejected.drop', { job, id });
    onChange();
  };
  return (
    <section class="card" aria-label={`${job} ${id}`}>
      <div class="card-head">
        <h2>
          {job} <code>{id}</code>
        </h2>
        <span class="faint">
          <Time at={at} />
        </span>
      </div>
      <ul>
        {issues.map(({ path, reason }) => (
          <li key={path + reason}>
            <code>{path}</code> {reason}
          </li>
        ))}
      </ul>
      <details>
        <summary>{cut ? 'Beginning of its data' : 'Its data'}</summary>
        <pre>{data}</pre>
      </details>
      <div class="actions start">
        <Action name="Retry" label={`Retry ${id}`} onDo={retry} />
        <button type="button" aria-label={`Drop ${id}`} onClick={() => setDropping(true)}>
          Drop
        </button>
      </div>
      {isDropping ? (
        <Dialog title="Drop this payload?" does="Drop" onDo={drop} onClose={() => setDropping(false)}>
          <p>It is deleted and is never scanned.</p>
        </Dialog>
      ) : null}
    </section>
  );
}
