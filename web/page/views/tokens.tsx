import { useState } from 'preact/hooks';
import type { Token } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { session, signIn } from '../api/session.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { Card, ViewHead } from '../parts/card.tsx';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Nothing, Shown } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';

const EXPIRIES = [
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
] as const;

/** Tokens of the API, for administrators. */
export function TokensView() {
  const loaded = useLoaded('tokens', (signal) => call('lockhound.tokens.list', {}, { signal }));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | undefined>(undefined);
  const create = async (values: FormData): Promise<void> => {
    const text = (name: string) => String(values.get(name) ?? '').trim();
    const targets = text('targets')
      .split(/[\s,]+/)
      .filter(Boolean);
    const role = (['read', 'submit', 'admin'] as const).find((one) => one === text('role')) ?? 'read';
    const { token } = await call(
      'lockhound.tokens.create',
      {},
      {
        body: {
          name: text('name'),
          role,
          targets,
          ...(text('expires') === '' ? {} : { expires: text('expires') }),
        },
      },
    );
    setCreated(token);
    // With the first token, nobody is let in without one: this person continues with it.
    if (session.value?.via === 'machine') await signIn(token);
    loaded.reload();
  };
  return (
    <>
      <ViewHead
        title="Tokens"
        note="For programs, and for people who sign in. With the first one, every caller needs one."
      >
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          Create a token
        </button>
      </ViewHead>
      {created === undefined ? null : (
        <Card title="The new token">
          <p>It is shown only now:</p>
          <pre class="secret">{created}</pre>
        </Card>
      )}
      <Shown loaded={loaded}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Nothing>There is no token: programs of this machine are answered without one.</Nothing>
          ) : (
            <Table
              label="Tokens"
              columns={['Name', 'Role', 'Targets', 'Created', 'Expires', 'Used', 'Actions']}
            >
              {tokens.map((one) => (
                <Row key={one.id} one={one} onChange={loaded.reload} />
              ))}
            </Table>
          )
        }
      </Shown>
      {isCreating ? (
        <Dialog title="Create a token" does="Create" onDo={create} onClose={() => setCreating(false)}>
          <label>
            Name
            <input name="name" required maxLength={100} />
          </label>
          <Choice
            name="role"
            label="Role"
            value="read"
            options={[
              ['read', 'read: sees'],
              ['submit', 'submit: also submits scans'],
              ['admin', 'admin: also changes'],
            ]}
          />
          <label>
            Targets
            <input name="targets" defaultValue="*" required placeholder="team-a/* team-b/*" />
          </label>
          <Choice name="expires" label="Expires" value="90d" options={EXPIRIES} />
        </Dialog>
      ) : null}
    </>
  );
}

interface RowProps {
  readonly one: Token;
  readonly onChange: () => void;
}

function Row({ one, onChange }: RowProps) {
  const [isRevoking, setRevoking] = useState(false);
  const revoke = async (): Promise<void> => {
    await call('lockhound.tokens.revoke', { token: one.id });
    onChange();
  };
  return (
    <tr>
      <td data-label="Name">
        {one.name} <code class="faint">{one.id}</code>
      </td>
      <td data-label="Role">{one.role}</td>
      <td data-label="Targets">{one.targets.join(' ')}</td>
      <td data-label="Created">
        <Time at={one.createdAt} />
      </td>
      <td data-label="Expires">
        {one.expiresAt === undefined ? <span class="faint">never</span> : <Time at={one.expiresAt} />}
      </td>
      <td data-label="Used">
        <Time at={one.usedAt} />
      </td>
      <td data-label="Actions">
        <button type="button" aria-label={`Revoke ${one.name} (${one.id})`} onClick={() => setRevoking(true)}>
          Revoke
        </button>
        {isRevoking ? (
          <Dialog
            title={`Revoke ${one.name}?`}
            does="Revoke"
            onDo={revoke}
            onClose={() => setRevoking(false)}
          >
            <p>It is refused within a second. This cannot be undone.</p>
          </Dialog>
        ) : null}
      </td>
    </tr>
  );
}
