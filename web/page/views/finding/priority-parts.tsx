import type { Priority } from '../../../../src/model/api/lockhound-api.generated.ts';
import { Card } from '../../parts/card.tsx';

/** What the priority of a finding is made of. */
export function PriorityParts({ priority }: { readonly priority: Priority }) {
  return (
    <Card title={`Priority ${priority.score}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="number">
              Points
            </th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {priority.parts.map(({ name, points, reason }) => (
            <tr key={name}>
              <td>{name}</td>
              <td class="number">{points > 0 ? `+${points}` : points}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
