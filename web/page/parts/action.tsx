import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';

/** What the last action said. Announced to screen readers. */
export const said = signal<{ readonly text: string; readonly isFault: boolean } | undefined>(undefined);

/** Says the result of an action until the next one. */
export function say(text: string, isFault = false): void {
  said.value = { text, isFault };
}

interface ActionProps {
  readonly name: string;
  /** For screen readers, where the name alone is not clear. */
  readonly label?: string;
  /** Does it, and resolves to what is said about it. What it throws is said, too. */
  readonly onDo: () => Promise<string>;
}

/** A button that does something on the server. */
export function Action({ name, label, onDo }: ActionProps) {
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      say(await onDo());
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      disabled={isBusy}
      onClick={() => void run()}
      {...(label === undefined ? {} : { 'aria-label': label })}
    >
      {name}
    </button>
  );
}

/** Shows what the last action said. */
export function Said() {
  const last = said.value;
  return (
    <div class="said" role="status">
      {last === undefined ? null : (
        <p class={last.isFault ? 'bad' : 'good'}>
          {last.text}
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss"
            onClick={() => {
              said.value = undefined;
            }}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}
