import type { DayCount } from '../../../../src/model/api/lockhound-api.generated.ts';
import { counted, formatDay, formatNumber } from '../../parts/format.ts';
import { Nothing } from '../../parts/notice.tsx';
import { SEVERITIES } from '../../parts/severity.tsx';

const [WIDTH, HEIGHT] = [600, 150];
const DAY_MS = 86_400_000;

interface TrendChartProps {
  /** Oldest first; the last one is today. Days may be missing. */
  readonly days: readonly DayCount[];
  /** Days that the chart spans. */
  readonly length: number;
}

/** Open findings by severity as stacked areas, the worst at the bottom; and as a table for readers who do not see the picture. */
export function TrendChart({ days, length }: TrendChartProps) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2) {
    return <Nothing>The trend begins today: workers count the fleet every day.</Nothing>;
  }
  const end = timeOf(last.day);
  const start = end - (length - 1) * DAY_MS;
  const most = niceCeiling(Math.max(1, ...days.map(sumOf)));
  const x = (day: string) => ((timeOf(day) - start) / (end - start)) * WIDTH;
  const y = (count: number) => HEIGHT - (count / most) * HEIGHT;
  const below = days.map(() => 0);
  const areas = SEVERITIES.map((severity) => {
    const lower = days.map(({ day }, index) => `${round(x(day))},${round(y(below[index] ?? 0))}`);
    const upper = days.map(({ day, open }, index) => {
      below[index] = (below[index] ?? 0) + (open[severity] ?? 0);
      return `${round(x(day))},${round(y(below[index] ?? 0))}`;
    });
    return (
      <polygon key={severity} class={`s-${severity}`} points={[...upper, ...lower.toReversed()].join(' ')} />
    );
  });
  return (
    <figure class="trend">
      <div class="trend-plot">
        <span class="trend-most">{formatNumber(most)}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          <line x1={0} x2={WIDTH} y1={0.5} y2={0.5} />
          {areas}
        </svg>
      </div>
      <div class="trend-days" aria-hidden="true">
        <span>{formatDay(dayOf(start))}</span>
        <span>{formatDay(dayOf((start + end) / 2))}</span>
        <span>today</span>
      </div>
      <figcaption>
        {change(first, last)}
        <details>
          <summary>As a table</summary>
          <TrendTable days={days} />
        </details>
      </figcaption>
    </figure>
  );
}

function TrendTable({ days }: { readonly days: readonly DayCount[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label="Open findings by day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {SEVERITIES.map((severity) => (
              <th key={severity} scope="col" class="number">
                {severity}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, open }) => (
            <tr key={day}>
              <th scope="row">{formatDay(day)}</th>
              {SEVERITIES.map((severity) => (
                <td key={severity} class="number">
                  {formatNumber(open[severity] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function change(first: DayCount, last: DayCount): string {
  const difference = sumOf(last) - sumOf(first);
  if (difference === 0) return `As many open findings as on ${formatDay(first.day)}. `;
  const [more, count] = difference > 0 ? ['more', difference] : ['fewer', -difference];
  return `${counted(count, `${more} open finding`)} than on ${formatDay(first.day)}. `;
}

function sumOf({ open }: DayCount): number {
  return Object.values(open).reduce((sum, count) => sum + count, 0);
}

/** The next number that is easy to read. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((digit) => digit * power >= value) ?? 10) * power;
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
