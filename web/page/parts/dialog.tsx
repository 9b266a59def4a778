import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Fault } from './notice.tsx';

interface DialogProps {
  readonly title: string;
  /** Name of the button that does it. */
  readonly does: string;
  /** Does it. What it throws is shown. */
  readonly onDo: (values: FormData) => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks before something is changed. The browser keeps the focus inside and closes it with Escape. */
export function Dialog({ title, does, onDo, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await onDo(new FormData(form));
      dialog.current?.close();
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget);
        }}
      >
        <h2 id={id}>{title}</h2>
        {children}
        {fault === undefined ? null : <Fault text={fault} />}
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {does}
          </button>
        </div>
      </form>
    </dialog>
  );
}
