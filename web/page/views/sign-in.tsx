import { useState } from 'preact/hooks';
import { signIn } from '../api/session.ts';
import { Fault } from '../parts/notice.tsx';
import { Mark } from '../shell/mark.tsx';

export function SignIn() {
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    try {
      await signIn(String(new FormData(form).get('token') ?? '').trim());
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main class="alone">
      <form
        class="card sign-in"
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <h1>
          <Mark /> Lockhound
        </h1>
        {/* Password managers ask for it. */}
        <input name="username" autocomplete="username" value="lockhound" readOnly hidden />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="current-password"
          spellcheck={false}
          aria-describedby="token-help"
        />
        <p id="token-help" class="faint">
          An administrator creates one with <code>lockhound tokens create</code>.
        </p>
        {fault === undefined ? null : <Fault text={fault} />}
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
