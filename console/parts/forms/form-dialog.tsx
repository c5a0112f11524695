import { Box, Modal } from '@cloudscape-design/components';
import { useState, type ReactNode } from 'react';
import type { ServiceName } from '../../../contract/admin/index.ts';
import type { MethodName, ResponseOf } from '../../api/admin-api.tsx';
import type { MethodReference } from '../../page/may-open.ts';
import { words } from '../../words/words.ts';
import { useNotifications } from '../view/notifications.tsx';
import { MethodButton } from './method-button.tsx';
import { MethodForm, type MethodFormProps } from './method-form.tsx';

type FormDialogProps<S extends ServiceName, M extends MethodName<S>> = Omit<MethodFormProps<S, M>, 'hasContainer' | 'onCancel' | 'onDone' | 'title'> & {
  readonly title: ReactNode;
  /** The notification of success. */
  readonly done?: (response: ResponseOf<S, M>) => { readonly title: string; readonly text?: string };
  readonly onClose: () => void;
};

/** A form for a method in a dialog. It closes when the method has succeeded. */
export const FormDialog = <S extends ServiceName, M extends MethodName<S>>({ title, description, done, onClose, ...form }: FormDialogProps<S, M>) => {
  const { notify } = useNotifications();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript does not compute the rest of a generic type
  const props = form as unknown as MethodFormProps<S, M>;
  return (
    <Modal visible header={title} onDismiss={onClose} closeAriaLabel={words.panel.close}>
      {description !== undefined && <Box margin={{ bottom: 'm' }}>{description}</Box>}
      <MethodForm<S, M>
        {...props}
        hasContainer={false}
        onCancel={onClose}
        onDone={(response) => {
          if (done) notify({ type: 'success', ...done(response) });
          onClose();
        }}
      />
    </Modal>
  );
};

/**
 * A button that opens a dialog. The dialog remains when the button is hidden, so that the dialog's error can be read.
 */
export const DialogButton = ({
  needs,
  text,
  variant = 'normal',
  isHidden = false,
  children,
}: {
  /** The method that the dialog calls. */
  readonly needs: MethodReference;
  readonly text: string;
  readonly variant?: 'normal' | 'primary';
  readonly isHidden?: boolean;
  readonly children: (onClose: () => void) => ReactNode;
}) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {!isHidden && (
        <MethodButton needs={needs} variant={variant} onClick={() => setOpen(true)}>
          {text}
        </MethodButton>
      )}
      {isOpen && children(() => setOpen(false))}
    </>
  );
};
