import { Box, Button, ButtonDropdown, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { AdminApiError } from '../../../contract/client.ts';
import type { AdminRole } from '../../../contract/rpc/admin-roles.ts';
import { useAdminMutation, type MethodName, type ResponseOf } from '../../api/admin-api.tsx';
import { useRole } from '../../api/role.ts';
import { useConfig } from '../../page/config-context.tsx';
import { rightsOf } from '../../page/may-open.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { MethodButton } from '../../parts/forms/method-button.tsx';
import { bulkAction, type Bulk } from '../../parts/lists/bulk-actions.tsx';
import { nameOf, signInOf } from '../../parts/objects/user-names.ts';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { useSession } from '../../session/session-gate.tsx';
import { addressWords, deactivationWords, resetWords, secondFactorWords, sessionWords, userWords } from '../../words/pages/users.ts';
import { phrase } from '../../words/phrase.ts';
import { ResetPassword } from './reset-password.tsx';

type User = ResponseOf<'users', 'GetUser'>['user'];
const questions = ['edit', 'address', 'reset', 'secondFactor', 'sessions', 'role', 'endAdmin', 'deactivate', 'remove'] as const;
type Question = (typeof questions)[number];

/**
 * Sends the invitation of a user again. The API refuses it for a user who has signed in, with the action to take
 * instead.
 */
const useResendInvitation = (user: User) => {
  const { notify, notifyError } = useNotifications();
  const resend = useAdminMutation('users', 'ResendInvitation');
  const run = (): void =>
    resend.mutate(
      { user_id: user.user_id },
      { onSuccess: () => notify({ type: 'success', title: userWords.resent(signInOf(user)), text: userWords.resentText }), onError: notifyError },
    );
  return { run, isPending: resend.isPending };
};

export const ResendInvitation = ({ user }: { readonly user: User }) => {
  const { run, isPending } = useResendInvitation(user);
  return (
    <MethodButton needs={['users', 'ResendInvitation']} loading={isPending} onClick={run}>
      {userWords.resend}
    </MethodButton>
  );
};

const Consequences = ({ title, items }: { readonly title: string; readonly items: readonly string[] }) => (
  <div>
    <b>{title}</b>
    <ul className="plain-list">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  </div>
);

/** The consequences of deactivating or deleting a user: what ends, and what is kept. */
const DeactivationConsequences = ({ users, isRemoval }: { readonly users: readonly User[]; readonly isRemoval: boolean }) => {
  const { person } = useSession();
  return (
    <SpaceBetween size="xs">
      {users.some((user) => person.email === signInOf(user)) && (
        <Box color="inherit" fontWeight="bold">
          {userWords.isYou}
        </Box>
      )}
      <Consequences title={deactivationWords.endsNow} items={deactivationWords.now} />
      <Consequences title={deactivationWords.endsSoon} items={deactivationWords.soon} />
      <Consequences title={deactivationWords.stays} items={deactivationWords.left} />
      <span>{isRemoval ? deactivationWords.cannotUndo : deactivationWords.canUndo}</span>
    </SpaceBetween>
  );
};

/** The accounts that a deleted person leaves. */
const remains = ({ own_accounts: own, other_accounts: other }: ResponseOf<'users', 'DeleteUser'>): string =>
  userWords.remains(
    own.map(({ email }) => email),
    other.map((account) => account.name),
  );

const isActive = (user: User): boolean => user.is_active && !user.is_deleted;

/** The actions on several users. */
export const userBulk: Bulk<User> = {
  nameOf,
  actions: [
    bulkAction('users', 'ResendInvitation', {
      text: userWords.resend,
      appliesTo: isActive,
      consequences: () => userWords.resendText,
      request: ({ user_id }) => ({ user_id }),
    }),
    bulkAction('users', 'EndSessions', {
      text: sessionWords.action,
      appliesTo: isActive,
      consequences: () => sessionWords.consequences,
      request: ({ user_id }) => ({ user_id }),
    }),
    bulkAction('users', 'UpdateUser', {
      text: userWords.activate,
      appliesTo: (user: User) => !user.is_active && !user.is_deleted,
      consequences: () => userWords.activateText,
      request: ({ user_id }) => ({ user_id, is_active: true }),
    }),
    bulkAction('users', 'UpdateUser', {
      text: userWords.deactivate,
      appliesTo: isActive,
      consequences: (users) => <DeactivationConsequences users={users} isRemoval={false} />,
      isTyped: true,
      request: ({ user_id }) => ({ user_id, is_active: false }),
    }),
    bulkAction('users', 'DeleteUser', {
      text: userWords.remove,
      appliesTo: (user: User) => !user.is_deleted,
      consequences: (users) => <DeactivationConsequences users={users} isRemoval />,
      isTyped: true,
      request: ({ user_id }) => ({ user_id }),
      remark: remains,
    }),
  ],
};

const Questions = ({ user, open, onClose }: { readonly user: User; readonly open: Question; readonly onClose: () => void }) => {
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const update = useAdminMutation('users', 'UpdateUser');
  const resetSecondFactor = useAdminMutation('users', 'ResetSecondFactor');
  const endSessions = useAdminMutation('users', 'EndSessions');
  const { user_id, is_admin: isAdmin } = user;
  const name = nameOf(user);
  const remove = useAdminMutation('users', 'DeleteUser', { leave: () => navigate('/users') });
  if (open === 'edit') {
    return (
      <FormDialog
        title={userWords.edit}
        service="users"
        method="UpdateUser"
        fields={['display_name']}
        fixed={{ user_id }}
        initial={initialValues(user, ['display_name'])}
        done={() => ({ title: userWords.saved })}
        onClose={onClose}
      />
    );
  }
  if (open === 'address') {
    return (
      <FormDialog
        title={addressWords.title(name)}
        description={addressWords.consequences}
        service="users"
        method="ChangeSignInAddress"
        fixed={{ user_id }}
        initial={{ email: signInOf(user) }}
        submitText={addressWords.action}
        done={({ user: { primary_email: email = '' } }) => ({ title: addressWords.done(name, email) })}
        onClose={onClose}
      />
    );
  }
  if (open === 'reset') return <ResetPassword user={user} onClose={onClose} />;
  if (open === 'secondFactor') {
    return (
      <Confirm
        title={secondFactorWords.title(name)}
        actionText={secondFactorWords.action}
        consequences={secondFactorWords.consequences}
        done={secondFactorWords.done(name)}
        onConfirm={() => resetSecondFactor.mutateAsync({ user_id })}
        onClose={onClose}
      />
    );
  }
  if (open === 'sessions') {
    return (
      <Confirm
        title={sessionWords.title(name)}
        actionText={sessionWords.action}
        consequences={sessionWords.consequences}
        done={sessionWords.done(name)}
        onConfirm={() => endSessions.mutateAsync({ user_id })}
        onClose={onClose}
      />
    );
  }
  if (open === 'role') {
    const title = isAdmin ? userWords.changeRole : userWords.makeAdmin;
    return (
      <FormDialog
        title={title}
        description={userWords.roleText}
        service="users"
        method="UpdateUser"
        fields={['admin_role']}
        fixed={isAdmin ? { user_id } : { user_id, is_admin: true }}
        initial={isAdmin ? initialValues(user, ['admin_role']) : {}}
        suggested={isAdmin ? {} : { admin_role: 'ALL' }}
        submitText={title}
        done={() => ({ title: userWords.saved })}
        onClose={onClose}
      />
    );
  }
  if (open === 'endAdmin') {
    return (
      <Confirm
        title={userWords.endAdmin}
        actionText={userWords.endAdmin}
        consequences={userWords.endAdminText}
        onClose={onClose}
        onConfirm={() => update.mutateAsync({ user_id, is_admin: false })}
      />
    );
  }
  const isRemoval = open === 'remove';
  const title = isRemoval ? userWords.remove : userWords.deactivate;
  return (
    <Confirm
      title={phrase`${title} ${name}`}
      name={name}
      actionText={title}
      consequences={<DeactivationConsequences users={[user]} isRemoval={isRemoval} />}
      onClose={onClose}
      onConfirm={async () => {
        if (isRemoval) {
          const text = remains(await remove.mutateAsync({ user_id }));
          return notify({ type: 'success', title: userWords.removed(name), ...(text !== '' && { text }) });
        }
        await update.mutateAsync({ user_id, is_active: false });
        return notify({ type: 'success', title: userWords.deactivated(name), text: userWords.deactivatedText });
      }}
    />
  );
};

const RestoreUser = ({ user }: { readonly user: User }) => {
  const { notify, notifyError } = useNotifications();
  const [isOpen, setOpen] = useState(false);
  const restore = useAdminMutation('users', 'RestoreUser');
  const { user_id } = user;
  const title = userWords.restored(nameOf(user));
  // The button is gone before the change is complete, when callbacks of `mutate` do not run any more.
  const run = (): void =>
    void restore.mutateAsync({ user_id }).then(
      () => notify({ type: 'success', title }),
      (error: Error) => {
        if (error instanceof AdminApiError && error.code === 'already_exists') setOpen(true);
        else notifyError(error);
      },
    );
  return (
    <>
      <MethodButton needs={['users', 'RestoreUser']} variant="primary" loading={restore.isPending} onClick={run}>
        {userWords.restore}
      </MethodButton>
      {isOpen && (
        <FormDialog
          title={userWords.restoreWith}
          description={userWords.addressGone}
          service="users"
          method="RestoreUser"
          fixed={{ user_id }}
          submitText={userWords.restore}
          done={() => ({ title })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
};

/** The actions on the admin rights of a user, which need the role ALL. */
const roleActions = (role: AdminRole, isAdmin: boolean) => {
  const missing = role === 'ALL' ? {} : { disabled: true, disabledReason: userWords.needsAll };
  return isAdmin
    ? [
        { id: 'role', text: userWords.changeRole, ...missing },
        { id: 'endAdmin', text: userWords.endAdmin, ...missing },
      ]
    : [{ id: 'role', text: userWords.makeAdmin, ...missing }];
};

/** The actions on a user. Destructive actions require a confirmation. */
export const UserActions = ({ user }: { readonly user: User }) => {
  const [open, setOpen] = useState<Question>();
  const navigate = useNavigate();
  const { notify, notifyError } = useNotifications();
  const update = useAdminMutation('users', 'UpdateUser');
  const resend = useResendInvitation(user);
  const { mfa } = useConfig();
  const role = useRole();
  const rights = (method: MethodName<'users'>) => rightsOf(role, ['users', method]);
  const { user_id, is_active: isActive, is_admin: isAdmin } = user;
  if (user.is_deleted) return <RestoreUser user={user} />;
  const activate = (): void =>
    update.mutate(
      { user_id, is_active: true },
      { onSuccess: () => notify({ type: 'success', title: userWords.activated(nameOf(user)) }), onError: notifyError },
    );
  return (
    <>
      <SpaceBetween direction="horizontal" size="xs">
        <ButtonDropdown
          loading={resend.isPending}
          items={[
            { id: 'edit', text: userWords.edit, ...rights('UpdateUser') },
            { id: 'address', text: addressWords.action, disabled: !isActive, ...rights('ChangeSignInAddress') },
            { id: 'resend', text: userWords.resend, disabled: !isActive, ...rights('ResendInvitation') },
            { id: 'reset', text: resetWords.action, disabled: !isActive, ...rights('ResetPassword') },
            ...(mfa === 'required' ? [{ id: 'secondFactor', text: secondFactorWords.action, disabled: !isActive, ...rights('ResetSecondFactor') }] : []),
            { id: 'sessions', text: sessionWords.action, disabled: !isActive, ...rights('EndSessions') },
            ...roleActions(role, isAdmin),
            { id: 'remove', text: userWords.remove, ...rights('DeleteUser') },
          ]}
          onItemClick={({ detail: { id } }) => (id === 'resend' ? resend.run() : setOpen(questions.find((each) => each === id)))}
        >
          {userWords.actions}
        </ButtonDropdown>
        <Button onClick={() => void navigate(`/connect?user=${user_id}`)}>{userWords.connect}</Button>
        {isActive ? (
          <MethodButton needs={['users', 'UpdateUser']} onClick={() => setOpen('deactivate')}>
            {userWords.deactivate}
          </MethodButton>
        ) : (
          <MethodButton needs={['users', 'UpdateUser']} variant="primary" loading={update.isPending} onClick={activate}>
            {userWords.activate}
          </MethodButton>
        )}
      </SpaceBetween>
      {open && <Questions user={user} open={open} onClose={() => setOpen(undefined)} />}
    </>
  );
};
