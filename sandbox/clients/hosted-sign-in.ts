import { createHash, randomBytes } from 'node:crypto';
import { SandboxError } from '../process/sandbox-error.ts';
import { nextCode, oneTimeCode } from './authenticator-app.ts';
import { errorMessageIn, parseForms, type HtmlForm } from './html-forms.ts';

export type SignIn = Person & {
  /** Base URL of the hosted sign-in, without a slash at the end. */
  readonly authUrl: string;
  readonly clientId: string;
  /** One of the client's registered redirect URIs. No server needs to listen there. */
  readonly redirectUri: string;
  readonly scope?: string;
  /** The browser. Default: one that was never used. */
  readonly cookies?: Cookies;
};
/** What a person types into the sign-in page. */
export type Person = {
  readonly email: string;
  readonly password: string;
  /** The password to choose if the page asks for a new one. */
  readonly newPassword?: string;
  /** The person's authenticator app. A page that sets up another one stores its secret here. */
  readonly authenticator?: Authenticator | undefined;
};
/** An authenticator app: the secret of its codes, in base32. */
export type Authenticator = { secret?: string };
/** The token endpoint's response (RFC 6749 §5.1). */
export type Tokens = { readonly access_token: string; readonly id_token?: string; readonly refresh_token?: string; readonly expires_in: number };

type Page = { readonly url: string; readonly html: string };

/** The cookies of a browser, by name. */
export type Cookies = Map<string, string>;

/**
 * Returns a function that opens a URL like a browser: it keeps cookies and follows redirects to a page or to the
 * client's redirect URI.
 */
const openWithCookies = (redirectUri: string, cookies: Cookies) => {
  const open = async (url: string, form?: URLSearchParams): Promise<Page | URL> => {
    let next = url;
    let body = form;
    for (let hops = 0; hops < 10; hops += 1) {
      const answer = await fetch(next, {
        method: body ? 'POST' : 'GET',
        body,
        redirect: 'manual',
        headers: cookies.size > 0 ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } : {},
        signal: AbortSignal.timeout(15_000),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
        cookies.set(name.trim(), value);
      }
      const location = answer.headers.get('location');
      const text = await answer.text();
      if (!location) {
        if (answer.ok) return { url: next, html: text };
        throw new SandboxError(`The sign-in page answered ${answer.status}: ${errorMessageIn(text) ?? text.slice(0, 200)}`);
      }
      next = new URL(location, next).href;
      body = undefined;
      if (next.startsWith(redirectUri)) return new URL(next);
    }
    throw new SandboxError('The sign-in page redirected more than ten times.');
  };
  return open;
};

/** Opens a URL in a browser. @returns the page to which it leads. */
export const openPage = async (url: string, cookies: Cookies): Promise<Page> => {
  const opened = await openWithCookies('\0', cookies)(url);
  if (opened instanceof URL) throw new SandboxError(`${url} leads to no page.`);
  return opened;
};

/** The name of the field for a code of an authenticator app, if the form has one. */
const codeField = ({ fields }: HtmlForm): string | undefined =>
  fields.find(({ name, type }) => type !== 'hidden' && type !== 'submit' && /code/i.test(name))?.name;

const fillIn = (form: HtmlForm, signIn: Person): URLSearchParams => {
  const code = codeField(form);
  const typed: Record<string, string> = {
    username: signIn.email,
    password: signIn.password,
    ...(signIn.newPassword !== undefined && { new_password: signIn.newPassword, confirm_password: signIn.newPassword }),
    ...(code !== undefined && { [code]: oneTimeCode(signIn.authenticator!.secret!) }),
  };
  const filled = new URLSearchParams();
  for (const { name, type, value } of form.fields) {
    if (type === 'hidden') filled.append(name, value);
    else if (name in typed) filled.append(name, typed[name] ?? '');
    else if (type === 'submit' && value === 'PASSWORD') filled.append(name, value);
  }
  return filled;
};

const formToFill = ({ html }: Page, { email, newPassword, authenticator }: Person): HtmlForm => {
  const forms = parseForms(html);
  const codeForm = forms.find((form) => codeField(form) !== undefined);
  if (codeForm) {
    const [shown] = /\b[A-Z2-7]{32,}\b/.exec(html) ?? [];
    if (authenticator && shown !== undefined) authenticator.secret = shown;
    if (authenticator?.secret === undefined) throw new SandboxError(`${email} must pass a code of an authenticator app.`, 'Sign in in a browser.');
    return codeForm;
  }
  const asks =
    (name: string) =>
    (form: HtmlForm): boolean =>
      form.fields.some((field) => field.name === name);
  const choice = forms.find(asks('new_password'));
  if (choice && newPassword === undefined) throw new SandboxError(`${email} must set a new password first.`, 'Sign in once in a browser.');
  const form = choice ?? forms.find(asks('password')) ?? forms.find(asks('username')) ?? forms.find(asks('challenge'));
  if (!form) throw new SandboxError(`The sign-in page has no form to fill in: ${errorMessageIn(html) ?? 'no error message either'}`);
  return form;
};

/**
 * Opens a URL of the authorization endpoint like a browser, and fills in the sign-in page.
 * @returns the redirect to the client.
 * @throws SandboxError with the page's error message when the sign-in is refused.
 */
export const passSignInPage = async (url: string, redirectUri: string, person: Person, cookies: Cookies = new Map()): Promise<URL> => {
  const open = openWithCookies(redirectUri, cookies);
  let current = await open(url);
  let [passwordSent, codesSent] = [false, 0];
  for (let pages = 0; pages < 7 && !(current instanceof URL); pages += 1) {
    const form = formToFill(current, person);
    const asksForCode = codeField(form) !== undefined;
    if (codesSent > 2 || (passwordSent && !asksForCode && !form.fields.some(({ name }) => name === 'new_password'))) {
      const reason = errorMessageIn(current.html) ?? 'the page asks for the password again';
      throw new SandboxError(`${person.email} could not sign in: ${reason}`);
    }
    // Another sign-in has used the code.
    if (asksForCode && codesSent > 0) await nextCode();
    const filled = fillIn(form, person);
    passwordSent = filled.has('password');
    if (asksForCode) codesSent += 1;
    current = await open(new URL(form.action, current.url).href, filled);
  }
  if (!(current instanceof URL)) throw new SandboxError(`${person.email} could not sign in: the page did not redirect to the client.`);
  return current;
};

/** Signs a person in at the hosted page. @returns the authorization code (RFC 6749 §4.1.2) for the PKCE challenge. */
export const authorizationCode = async (signIn: SignIn, challenge: string): Promise<string> => {
  const state = randomBytes(16).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: signIn.clientId,
    redirect_uri: signIn.redirectUri,
    scope: signIn.scope ?? 'openid email profile',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const { searchParams: callback } = await passSignInPage(`${signIn.authUrl}/oauth2/authorize?${query.toString()}`, signIn.redirectUri, signIn, signIn.cookies);
  if (callback.get('state') !== state) throw new SandboxError('The sign-in page returned a wrong state parameter.');
  const code = callback.get('code');
  if (!code) {
    const reason = callback.get('error_description') ?? callback.get('error') ?? 'the response has no code';
    throw new SandboxError(`${signIn.email} could not sign in: ${reason}`);
  }
  return code;
};

/**
 * Gets a user's tokens by the authorization code grant with PKCE (RFC 6749 §4.1, RFC 7636). Fills in the hosted sign-in
 * page like a browser.
 * @throws SandboxError with the page's error message when the sign-in is refused.
 */
export const signIn = async (person: SignIn): Promise<Tokens> => {
  const verifier = randomBytes(48).toString('base64url');
  const code = await authorizationCode(person, createHash('sha256').update(verifier).digest('base64url'));
  return requestTokens(
    person.authUrl,
    new URLSearchParams({ grant_type: 'authorization_code', client_id: person.clientId, redirect_uri: person.redirectUri, code, code_verifier: verifier }),
  );
};

/** Calls the token endpoint. @throws SandboxError with its `error` and `error_description` (RFC 6749 §5.2). */
export const requestTokens = async (authUrl: string, form: URLSearchParams, headers: Record<string, string> = {}): Promise<Tokens> => {
  const answer = await fetch(`${authUrl}/oauth2/token`, { method: 'POST', body: form, headers, signal: AbortSignal.timeout(15_000) });
  const text = await answer.text();
  if (answer.ok) {
    const tokens: Tokens = JSON.parse(text);
    return tokens;
  }
  throw new SandboxError(`The token endpoint answered ${answer.status}: ${text.slice(0, 300)}`);
};
