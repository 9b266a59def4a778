import { useState } from 'preact/hooks';
import type { Schedule } from '../../../../src/model/api/lockhound-api.generated.ts';
import { durationText } from '../../../../src/model/duration.ts';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Action, say } from '../../parts/action.tsx';
import { ViewHead } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { counted, formatNumber } from '../../parts/format.ts';
import { targetAddress } from '../../parts/links.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';

/** Targets of a schedule that are listed. */
const SHOWN = 200;

/** Sources that Lockhound reads itself, regularly. */
export function SchedulesView() {
  const loaded = useLoaded('schedules', (signal) => call('lockhound.schedules.list', {}, { signal }));
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <ViewHead title="Schedules" note="Sources that workers read regularly.">
        {may('lockhound.schedules.add', { isFleetWide: true }) ? (
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            Add
          </button>
        ) : null}
      </ViewHead>
      {isAdding ? <ScheduleDialog onDone={loaded.reload} onClose={() => setAdding(false)} /> : null}
      <Shown loaded={loaded}>
        {({ schedules }) =>
          schedules.length === 0 ? (
            <Nothing>
              There is no schedule. <em>Add</em>, <code>lockhound schedules add</code> or the configuration
              adds one.
            </Nothing>
          ) : (
            <Table
              label="Schedules"
              columns={[
                'Schedule',
                'Times',
                'Next run',
                'Last run',
                { name: 'Targets', isNumber: true },
                'Actions',
              ]}
            >
              {schedules.map((one) => (
                <ScheduleRows
                  key={one.name}
                  one={one}
                  isShown={one === schedules.find(({ failing }) => failing > 0)}
                  onChange={loaded.reload}
                />
              ))}
            </Table>
          )
        }
      </Shown>
    </>
  );
}

interface ScheduleRowsProps {
  readonly one: Schedule;
  /** Whether its targets are shown at first: they say why a source cannot be read. */
  readonly isShown: boolean;
  readonly onChange: () => void;
}

function ScheduleRows({ one, isShown, onChange }: ScheduleRowsProps) {
  const [isOpen, setOpen] = useState(isShown);
  const [asked, setAsked] = useState<'change' | 'remove' | undefined>(undefined);
  const { name, lastRun } = one;
  const change = async (method: 'pause' | 'resume' | 'run', text: string): Promise<string> => {
    await call(`lockhound.schedules.${method}`, { schedule: name });
    onChange();
    return text;
  };
  const remove = async (): Promise<void> => {
    await call('lockhound.schedules.remove', { schedule: name });
    say(`Schedule ${name} is removed.`);
    onChange();
  };
  return (
    <>
      <tr>
        <td data-label="Schedule">
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {name}
          </button>
          {one.paused ? <span class="mark warn">paused</span> : null}
          {one.failing > 0 ? <span class="mark warn">{counted(one.failing, 'unread source')}</span> : null}
        </td>
        <td data-label="Times">
          {one.cron === undefined
            ? `every ${durationText(one.everyMs ?? 0)}`
            : `${one.cron} (${one.timeZone})`}
        </td>
        <td data-label="Next run">
          <Time at={one.nextRun} />
        </td>
        <td data-label="Last run">
          {lastRun === undefined ? (
            <span class="faint">never</span>
          ) : (
            <>
              {lastRun.state} <Time at={lastRun.startedAt} />
              {lastRun.reason === undefined ? null : <p class="faint">{lastRun.reason}</p>}
            </>
          )}
        </td>
        <td data-label="Targets" class="number">
          {formatNumber(one.targets)}
        </td>
        <td data-label="Actions">
          {may('lockhound.schedules.run', { isFleetWide: true }) ? (
            <div class="actions start">
              <Action name="Run" label={`Run ${name} now`} onDo={() => change('run', `${name} runs.`)} />
              {one.paused ? (
                <Action
                  name="Resume"
                  label={`Resume ${name}`}
                  onDo={() => change('resume', `${name} is resumed.`)}
                />
              ) : (
                <Action
                  name="Pause"
                  label={`Pause ${name}`}
                  onDo={() => change('pause', `${name} is paused.`)}
                />
              )}
              {one.origin === 'configuration' ? null : (
                <>
                  <button type="button" aria-label={`Change ${name}`} onClick={() => setAsked('change')}>
                    Change
                  </button>
                  <button type="button" aria-label={`Remove ${name}`} onClick={() => setAsked('remove')}>
                    Remove
                  </button>
                </>
              )}
            </div>
          ) : (
            <span class="faint">–</span>
          )}
          {asked === 'change' ? (
            <ScheduleDialog before={one} onDone={onChange} onClose={() => setAsked(undefined)} />
          ) : null}
          {asked === 'remove' ? (
            <Dialog title={`Remove ${name}?`} does="Remove" onDo={remove} onClose={() => setAsked(undefined)}>
              <p>It has no more runs. Its targets and their findings stay.</p>
            </Dialog>
          ) : null}
        </td>
      </tr>
      {isOpen ? (
        <tr class="more-row">
          <td colSpan={6}>
            <Watched schedule={name} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** The targets of a schedule; those that cannot be read come first. */
function Watched({ schedule }: { readonly schedule: string }) {
  const loaded = useLoaded(`schedule ${schedule}`, (signal) =>
    call('lockhound.schedules.get', { schedule }, { signal }),
  );
  return (
    <Shown loaded={loaded}>
      {({ watched }) =>
        watched.length === 0 ? (
          <Nothing>It has read no target.</Nothing>
        ) : (
          <ul class="rows">
            {watched.length <= SHOWN ? null : (
              <li class="faint">
                The first {SHOWN} of {counted(watched.length, 'target')}: <code>lockhound schedules get</code>{' '}
                lists all.
              </li>
            )}
            {watched.slice(0, SHOWN).map(({ target, ending, at, failing }) => (
              <li key={target}>
                <a href={targetAddress(target)}>{target}</a>
                <span>
                  {ending} <Time at={at} />
                </span>
                {failing === undefined ? null : (
                  <span class="mark warn">
                    since <Time at={failing.since} />: {failing.reason}
                  </span>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}
