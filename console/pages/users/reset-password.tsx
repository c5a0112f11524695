import { Box, Button, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { resetWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';
import { nameOf, signInOf } from './user-state.ts';

type User = ResponseOf<'users', 'GetUser'>['user'];

/** Resets the password of a user after a confirmation, and shows the temporary password until the dialog is closed. */
export const ResetPassword = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }) => {
  const reset = useAdminMutation('users', 'ResetPassword');
  const [password, setPassword] = useState<string>();
  if (password !== undefined) {
    return (
      <Modal
        visible header={resetWords.done(nameOf(user))} onDismiss={onClose} closeAriaLabel={words.panel.close}
        footer={<Box float="right"><Button variant="primary" onClick={onClose}>{resetWords.close}</Button></Box>}
      >
        <SpaceBetween size="m">
          <Box fontSize="heading-m"><Copyable value={password} name={resetWords.password} /></Box>
          <span>{resetWords.passOn(signInOf(user))}</span>
        </SpaceBetween>
      </Modal>
    );
  }
  return (
    <Confirm
      title={resetWords.title(nameOf(user))} actionText={resetWords.action} consequences={resetWords.consequences}
      onConfirm={() => reset.mutateAsync({ user_id: user.user_id })} onClose={onClose}
      onDone={({ temporary_password: password }) => setPassword(password)}
    />
  );
};

/** A button that asks for the reset of a user's password. */
export const ResetPasswordButton = ({ user }: { readonly user: User }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{resetWords.action}</Button>
      {isOpen && <ResetPassword user={user} onClose={() => setOpen(false)} />}
    </>
  );
};
