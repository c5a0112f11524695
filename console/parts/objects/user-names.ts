export type SignIn = {
  readonly name: string;
  readonly display_name?: string | undefined;
  readonly primary_email?: string | undefined;
  readonly idp_identities: readonly { readonly email?: string | undefined }[];
};

export const nameOf = ({ display_name: displayed, name }: SignIn): string => displayed ?? name;

/** The address with which a user signs in. */
export const signInOf = ({ idp_identities: [identity], primary_email: email, name }: SignIn): string => identity?.email ?? email ?? name;
