import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-loaded.ts';
import { ViewHead } from './card.tsx';

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

/** In place of a view whose address does not name what it shows. */
export function Unnamed({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <>
      <ViewHead title={title} />
      <Nothing>{children}</Nothing>
    </>
  );
}

interface ShownProps<Value> {
  /** The heading until the value is there, which has its own. */
  readonly title?: string;
  readonly loaded: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows a value when it is loaded, and before that what happens. */
export function Shown<Value>({ title, loaded: { value, fault, reload }, children }: ShownProps<Value>) {
  return (
    <>
      {title === undefined || value !== undefined ? null : <ViewHead title={title} />}
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
