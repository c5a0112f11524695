import { useEffect, useRef, type ReactNode } from 'react';

export type ModalDialogProps = {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
  /** What the dialog shows, with a function that closes it. */
  readonly children: (close: () => void) => ReactNode;
};

/** A dialog above the page. Escape closes it, and the focus returns to where it was. */
export const ModalDialog = ({ label, className, onClose, children }: ModalDialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const isClosed = useRef(false);
  // The event of the browser comes later than the next key, which may have opened another dialog.
  const close = (): void => {
    if (isClosed.current) return;
    isClosed.current = true;
    dialog.current?.close();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={close}
    >
      {children(close)}
    </dialog>
  );
};
