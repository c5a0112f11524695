type UserFlags = { readonly is_active: boolean; readonly is_deleted: boolean };

/** The state of a user by its flags, as `words/states.ts` names it. */
export const userState = ({ is_active: isActive, is_deleted: isDeleted }: UserFlags): 'active' | 'inactive' | 'deleted' => {
  if (isDeleted) return 'deleted';
  return isActive ? 'active' : 'inactive';
};

export type SignIn = {
  readonly name: string;
  readonly display_name?: string | undefined;
  readonly primary_email?: string | undefined;
  readonly idp_identities: readonly { readonly email?: string | undefined }[];
};

export const nameOf = ({ display_name: displayed, name }: SignIn): string => displayed ?? name;

/** The address with which a user signs in. */
export const signInOf = ({ idp_identities: [identity], primary_email: email, name }: SignIn): string => identity?.email ?? email ?? name;
