import { usePagedList } from '../../api/use-list.ts';
import type { FieldInput } from '../forms/field-input.tsx';
import { PagedSelect } from '../forms/paged-select.tsx';

const Users: FieldInput = (props) => {
  const source = usePagedList('users', 'ListUsers', {}, ({ users }) => users.filter((user) => user.is_active && !user.is_deleted));
  return (
    <PagedSelect
      {...props} source={source}
      optionOf={({ user_id: value, display_name: displayed, name, idp_identities: [identity] }) =>
        ({ value, label: displayed ?? name, ...(identity?.email && { description: identity.email }) })}
    />
  );
};

/** A choice among active users. Its value is the user's id. */
export const UserSelect: FieldInput = (props) => <Users {...props} />;
