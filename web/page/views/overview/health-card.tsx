import { health } from '../../api/health.ts';
import { sentenceCase } from '../../parts/format.ts';

/** The verdict of `lockhound health` in words, with what to do. */
export function HealthCard() {
  const { value } = health;
  if (value === undefined) return null;
  return (
    <details class={`card verdict ${value.grade}`}>
      <summary>
        <span class={`health ${value.grade}`}>{sentenceCase(value.grade)}</span> {value.summary}
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {value.parts.map(({ part, grade, says, remedy }) => (
            <tr key={`${part} ${says}`}>
              <td>
                <span class={`health ${grade}`}>{sentenceCase(part)}</span>
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
