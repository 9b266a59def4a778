import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-loaded.ts';

/** Why something could not be loaded or done. */
export function Fault({ text, onRetry }: { readonly text: string; readonly onRetry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>{text}</p>
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** In place of a list without entries. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}

interface ShownProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows a value when it is loaded, and before that what happens. */
export function Shown<Value>({ loaded: { value, fault, reload }, children }: ShownProps<Value>) {
  return (
    <>
      {fault === undefined ? null : <Fault text={fault} onRetry={reload} />}
      {value !== undefined ? children(value) : fault === undefined ? <Waiting /> : null}
    </>
  );
}

export function Waiting() {
  return (
    <p class="waiting" role="status">
      Loading …
    </p>
  );
}
