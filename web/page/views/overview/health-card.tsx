import { health } from '../../api/health.ts';
import { sentenceCase } from '../../parts/format.ts';

/** The verdict of `lockhound health` in words, with what to do. */
export function HealthCard() {
  const { value } = health;
  if (value === undefined) return null;
  return (
    <details class={`card verdict ${value.verdict}`}>
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
                {remedy === undefined ? null : <p class="faint">{remedy}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
