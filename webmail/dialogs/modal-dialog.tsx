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
  return (
    <dialog ref={dialog} className={className} aria-label={label} onClose={onClose}>
      {children(() => dialog.current?.close())}
    </dialog>
  );
};
