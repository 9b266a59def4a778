import { useEffect, useRef } from 'preact/hooks';
import { health } from '../../api/health.ts';
import { may } from '../../api/session.ts';
import { sentenceCase } from '../../parts/format.ts';
import { place } from '../../routing/location.ts';

/** The verdict of `lockhound health` in words, with what to do. The address `/?health` opens it. */
export function HealthCard() {
  const card = useRef<HTMLDetailsElement>(null);
  const { value } = health;
  const at = place.value;
  const isKnown = value !== undefined;
  useEffect(() => {
    if (card.current === null || !at.params.has('health')) return;
    card.current.open = true;
    card.current.querySelector('summary')?.focus();
  }, [at, isKnown]);
  if (value === undefined) return null;
  return (
    <details class={`card verdict ${value.verdict}`} ref={card}>
      <summary>
        <span class={`health ${value.verdict}`}>{sentenceCase(value.verdict)}</span> {value.summary}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {value.parts.map(({ part, verdict, says, remedy }) => (
            <tr key={`${part} ${says}`}>
              <td>
                <span class={`health ${verdict}`}>{sentenceCase(part)}</span>
              </td>
              <td>
                {sentenceCase(says)}
                {remedy === undefined ? null : <Remedy text={remedy} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** The views that show what a command of a remedy shows. */
const WAYS = [
  { command: /^lockhound deliveries /, href: '/deliveries?state=failed', name: 'Failed deliveries' },
  { command: /^lockhound deliveries resume /, href: '/deliveries', name: 'Stopped routes' },
  { command: /^lockhound rejected/, href: '/rejected', name: 'Rejected payloads' },
  { command: /^lockhound scans/, href: '/targets?incomplete=true', name: 'Incomplete targets' },
  { command: /^lockhound schedules/, href: '/schedules', name: 'Schedules' },
];

/** What to do: the way to the view of the page that shows it, or the text. */
function Remedy({ text }: { readonly text: string }) {
  const parts = text.split('`');
  const command = parts.find((part) => part.startsWith('lockhound ')) ?? '';
  const way = WAYS.findLast((one) => one.command.test(command));
  const isShown = way?.href !== '/rejected' || may('lockhound.rejected.list', { isFleetWide: true });
  return (
    <p class="faint">
      {way !== undefined && isShown ? (
        <a href={way.href}>{way.name}</a>
      ) : (
        parts.map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>))
      )}
    </p>
  );
}
