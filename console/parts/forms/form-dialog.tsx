import Box from '@cloudscape-design/components/box';
import Modal from '@cloudscape-design/components/modal';
import type { ReactNode } from 'react';
import type { ServiceName } from '../../../contract/admin/index.ts';
import type { MethodName } from '../../api/admin-api.tsx';
import { words } from '../../words/words.ts';
import { MethodForm, type MethodFormProps } from './method-form.tsx';

export type FormDialogProps<S extends ServiceName, M extends MethodName<S>> = Omit<MethodFormProps<S, M>, 'hasContainer' | 'onCancel' | 'title'> & {
  readonly title: ReactNode;
  readonly onClose: () => void;
};

/** A form for a method in a dialog. It closes when the method has succeeded. */
export const FormDialog = <S extends ServiceName, M extends MethodName<S>>({
  title, description, onClose, onDone, ...form
}: FormDialogProps<S, M>) => (
  <Modal visible header={title} onDismiss={onClose} closeAriaLabel={words.panel.close}>
    {description !== undefined && <Box margin={{ bottom: 'm' }}>{description}</Box>}
    <MethodForm<S, M>
      {...form as unknown as MethodFormProps<S, M>} hasContainer={false} onCancel={onClose}
      onDone={(response) => { onDone(response); onClose(); }}
    />
  </Modal>
);
