import { FormField, Input } from '@cloudscape-design/components';
import { useState } from 'react';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { Choice } from '../../parts/forms/choice.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { MethodButton } from '../../parts/forms/method-button.tsx';
import { nameOf } from '../../parts/objects/user-names.ts';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { fieldWords } from '../../words/fields.ts';
import { resetWords, temporaryPasswordWords } from '../../words/pages/users.ts';
import { TemporaryPassword } from './temporary-password.tsx';

type User = ResponseOf<'users', 'GetUser'>['user'];

/**
 * Resets the password of a user after a confirmation. The temporary password is mailed to a private address, or shown
 * until the dialog is closed.
 */
export const ResetPassword = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }) => {
  const reset = useAdminMutation('users', 'ResetPassword');
  const { notify } = useNotifications();
  const [way, setWay] = useState<keyof typeof temporaryPasswordWords.ways>('shown');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState<string>();
  if (password !== undefined) {
    return <TemporaryPassword title={resetWords.done(nameOf(user))} user={user} password={password} onClose={onClose} />;
  }
  return (
    <Confirm
      title={resetWords.title(nameOf(user))}
      actionText={resetWords.action}
      consequences={resetWords.consequences}
      onConfirm={() => reset.mutateAsync({ user_id: user.user_id, ...(way === 'private' && { invitation_email: email }) })}
      onClose={onClose}
      onDone={({ temporary_password: temporary }) => {
        if (temporary !== undefined) return setPassword(temporary);
        notify({ type: 'success', title: resetWords.done(nameOf(user)), text: resetWords.mailed(email) });
        return onClose();
      }}
    >
      <Choice label={temporaryPasswordWords.way} value={way} options={temporaryPasswordWords.ways} onChange={setWay} />
      {way === 'private' && (
        <FormField label={fieldWords.of('invitation_email').label} description={fieldWords.of('invitation_email').hint}>
          <Input type="email" value={email} onChange={({ detail }) => setEmail(detail.value)} />
        </FormField>
      )}
    </Confirm>
  );
};

/** A button that asks for the reset of a user's password. */
export const ResetPasswordButton = ({ user }: { readonly user: User }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <MethodButton needs={['users', 'ResetPassword']} onClick={() => setOpen(true)}>
        {resetWords.action}
      </MethodButton>
      {isOpen && <ResetPassword user={user} onClose={() => setOpen(false)} />}
    </>
  );
};
