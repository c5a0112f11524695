import { Button } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { resetWords } from '../../words/pages/users.ts';
import { TemporaryPassword } from './temporary-password.tsx';
import { nameOf } from './user-state.ts';

type User = ResponseOf<'users', 'GetUser'>['user'];

/** Resets the password of a user after a confirmation, and shows the temporary password until the dialog is closed. */
export const ResetPassword = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }) => {
  const reset = useAdminMutation('users', 'ResetPassword');
  const [password, setPassword] = useState<string>();
  if (password !== undefined) {
    return <TemporaryPassword title={resetWords.done(nameOf(user))} user={user} password={password} onClose={onClose} />;
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
