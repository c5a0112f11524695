import { Alert, Box, Button, FormField, Input, type InputProps, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { withClosedIsolates } from '../../../contract/values/isolated.ts';
import { shownError } from '../../api/errors.ts';
import { words } from '../../words/words.ts';
import { ErrorText } from '../text/error-text.tsx';
import { Isolated } from '../text/isolated.tsx';
import { SlowNote } from '../view/loading.tsx';
import { useNotifications } from '../view/notifications.tsx';

type ConfirmProps<Result> = {
  readonly title: string;
  readonly consequences: ReactNode;
  /** Inputs below the consequences. */
  readonly children?: ReactNode;
  /** The text to type before the action can be started; undefined for an action that can be undone. */
  readonly name?: string | undefined;
  readonly actionText: string;
  /** Makes the change. On an error, the dialog stays open and shows it. */
  readonly onConfirm: () => Promise<Result>;
  /** Shows the result in place of the dialog, which is then not closed. */
  readonly onDone?: (result: Result) => void;
  /** The notification of success. */
  readonly done?: string;
  readonly onClose: () => void;
};

/** Asks for a confirmation before something is removed or ended. Enter in the field of the name confirms. */
export const Confirm = <Result,>({ title, consequences, children, name, actionText, onConfirm, onDone, done, onClose }: ConfirmProps<Result>) => {
  const formId = useId();
  const { notify } = useNotifications();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const input = useRef<InputProps.Ref>(null);
  // Later than the dialog, which notes first where the focus was, and returns it there when it closes.
  useEffect(() => {
    const frame = requestAnimationFrame(() => input.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const isConfirmed = name === undefined || withClosedIsolates(typed) === withClosedIsolates(name);
  const run = async (): Promise<void> => {
    if (!isConfirmed || isRunning) return;
    setRunning(true);
    setError(undefined);
    try {
      const result = await onConfirm();
      if (done !== undefined) notify({ type: 'success', title: done });
      if (onDone) onDone(result);
      else onClose();
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
  };
  return (
    <Modal
      visible
      header={title}
      onDismiss={onClose}
      closeAriaLabel={words.panel.close}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={onClose}>
              {words.confirm.cancel}
            </Button>
            <Button variant="primary" form={formId} formAction="submit" loading={isRunning} disabled={!isConfirmed}>
              {actionText}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <SpaceBetween size="m">
          <Alert type="warning">{consequences}</Alert>
          {children}
          {name !== undefined && (
            <FormField
              label={
                <>
                  {words.confirm.typeToConfirm} <Isolated>{name}</Isolated>
                </>
              }
            >
              <Input value={typed} onChange={({ detail }) => setTyped(detail.value)} ref={input} placeholder={name} />
            </FormField>
          )}
          <SlowNote isRunning={isRunning} />
          {error !== undefined && (
            <Alert type="error" header={shownError(error).title}>
              <ErrorText error={shownError(error)} />
            </Alert>
          )}
        </SpaceBetween>
      </form>
    </Modal>
  );
};
