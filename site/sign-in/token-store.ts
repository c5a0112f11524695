/** A sign-in that outlives a page: the refresh token, its person, and the email of the ID token if there is one. */
export type StoredSignIn = { readonly refreshToken: string; readonly subject: string; readonly email?: string };

export type Token = { readonly value: string; readonly expiresAt: number; readonly subject: string };

export type TokenStore = {
  /** @returns the sign-in, with its access token if the store keeps that too. */
  read(): Promise<(StoredSignIn & { readonly token?: Token }) | undefined>;
  write(signIn: StoredSignIn, token: Token): Promise<void>;
  /** Deletes the sign-in, and everything else of the site that must not outlive it on the device. */
  wipe(): Promise<void>;
};

export const isStoredSignIn = (value: unknown): value is StoredSignIn & { readonly token?: Token } =>
  typeof value === 'object' && value !== null && 'refreshToken' in value && typeof value.refreshToken === 'string' && 'subject' in value;
