/** The path of the web mail's redirect URI. */
export const webmailCallbackPath = '/callback';

/**
 * The document at `siteConfigPath` of the web mail. It contains no secret. The web mail learns everything else from the
 * JMAP session, so it works with any JMAP server.
 */
export type WebmailConfig = {
  /** URL of the JMAP session (RFC 8620 §2). Without it people are asked for their server. */
  readonly sessionUrl?: string;
  /** The parameter of the WebSocket's URL that takes the access token, because a browser sends no header; absent without one. */
  readonly webSocketTokenParameter?: string;
  /**
   * The sign-in, by authorization code with PKCE (RFC 7636). URLs by their names in RFC 8414. Without it people are asked for
   * an access token of their server.
   */
  readonly signIn?: SignInSettings;
};

export type SignInSettings = {
  readonly clientId: string;
  readonly scope: string;
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string;
  /** The page that ends the browser's sign-in; it returns to `logout_uri`. */
  readonly logoutUrl: string;
};

/** The empty documents that show the HTML of a mail: without, and with images of other servers. */
export const messageFrames = { closed: '/message.html', images: '/message-images.html' } as const;

/** The document that sends requests to unsubscribe, which the page's own policy does not allow. */
export const unsubscribeFrame = '/unsubscribe.html';
