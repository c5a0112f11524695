import { Alert, Button } from '@cloudscape-design/components';
import { useNavigate } from 'react-router';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { searchedText } from '../../api/use-list.ts';
import { signInOf } from '../../parts/objects/user-names.ts';
import { inviteWords } from '../../words/pages/users.ts';

const { existing: texts } = inviteWords;
type User = ResponseOf<'users', 'ListUsers'>['users'][number];

const textOf = ({ is_deleted: isDeleted, primary_account_id: account }: User): string => {
  if (isDeleted) return texts.deleted;
  return account === undefined ? texts.withoutAccount : texts.withAccount;
};

/**
 * The user who already has the address. If an earlier attempt ended after the user and before the account, the form
 * continues from there.
 */
export const ExistingUser = ({ email, onContinue }: { readonly email: string; readonly onContinue: (user: User) => void }) => {
  const navigate = useNavigate();
  const { data } = useAdminQuery('users', 'ListUsers', { query: searchedText(email) });
  const user = data?.users.find((one) => signInOf(one).toLowerCase() === email);
  if (!user) return null;
  const canContinue = !user.is_deleted && user.is_active && user.primary_account_id === undefined;
  return (
    <Alert
      type="info"
      header={texts.title}
      action={
        canContinue ? (
          <Button onClick={() => onContinue(user)}>{texts.goOn}</Button>
        ) : (
          <Button onClick={() => void navigate(`/users/${user.user_id}`)}>{texts.open}</Button>
        )
      }
    >
      {textOf(user)}
    </Alert>
  );
};
